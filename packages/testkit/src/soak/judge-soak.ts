/** What one process of the service held, as it says itself. */
export interface ProcessSample {
  readonly pid: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly descriptors: number;
}

/** What was held after one migration, with the service at rest. */
export interface SoakSample {
  /** by the name of the process */
  readonly processes: Readonly<Record<string, ProcessSample>>;
  readonly redisKeys: number;
  /** open points in time of the whole cluster */
  readonly snapshots: number;
}

/** How much the median of the last third may be above that of the first: it must be above both to be growth. */
export interface Allowance {
  readonly share: number;
  readonly more: number;
}

/** What became of one figure. */
export interface Trend {
  /** name of a process, or what else has the figure */
  readonly of: string;
  readonly figure: string;
  readonly isBytes: boolean;
  /** median of the first third */
  readonly first: number;
  /** median of the last third */
  readonly last: number;
  readonly grows: boolean;
}

export interface SoakVerdict {
  readonly trends: readonly Trend[];
  /** why this is no service that stays as it is; empty: it is one */
  readonly problems: readonly string[];
}

/** Left out: code is compiled, connections are opened, and each queue gets its keys in Redis. */
const warmUp = 3;
/** One for each third. Few of them say little: it takes 20 minutes to say something about a slow leak. */
const leastSamples = warmUp + 3;
const megabyte = 2 ** 20;

/**
 * V8 sizes its heap as it likes: after a burst it keeps pages that it does not use, and garbage is collected when it
 * thinks that it pays. So a small process may double, and a large one may vary by some dozens of megabytes.
 */
export const memoryAllowance: Allowance = { share: 0.25, more: 40 * megabyte };
/** Connections that are kept alive for the next request: as many as were used at once lately. */
export const descriptorAllowance: Allowance = { share: 0, more: 15 };
/** BullMQ keeps some keys for each queue, as long as it is there, and some for a moment: stalled checks, a wake-up. */
export const keyAllowance: Allowance = { share: 0, more: 10 };
/** None may be left open by a migration that has ended. */
export const snapshotAllowance: Allowance = { share: 0, more: 0 };

const processFigures = [
  { figure: 'resident memory', key: 'residentBytes', isBytes: true, allowance: memoryAllowance },
  { figure: 'heap used', key: 'heapUsedBytes', isBytes: true, allowance: memoryAllowance },
  { figure: 'file descriptors', key: 'descriptors', isBytes: false, allowance: descriptorAllowance },
] as const;
const sharedFigures = [
  { of: 'Redis', figure: 'keys', key: 'redisKeys', allowance: keyAllowance },
  { of: 'OpenSearch', figure: 'open snapshots', key: 'snapshots', allowance: snapshotAllowance },
] as const;

/**
 * Whether what a service holds stays flat, by the samples of a soak in their order. After the warm-up the median of
 * the first third is compared with that of the last: one sample more or less says nothing. A process must be there,
 * with the same pid, in every sample: the memory of one that was started anew says nothing either.
 */
export function judgeSoak(samples: readonly SoakSample[]): SoakVerdict {
  const missing = findChanges(samples);
  if (samples.length < leastSamples) {
    const few = `${samples.length} samples say nothing: at least ${leastSamples} are needed, run it for longer`;
    return { trends: [], problems: [few, ...missing] };
  }
  const warm = samples.slice(warmUp);
  const lasting = Object.keys(warm[0]?.processes ?? {}).filter((name) =>
    warm.every(({ processes }) => processes[name] !== undefined),
  );
  const trends = [
    ...lasting.flatMap((of) =>
      processFigures.map(({ key, ...figure }) =>
        judgeSeries(
          { of, ...figure },
          warm.flatMap(({ processes }) => processes[of]?.[key] ?? []),
        ),
      ),
    ),
    ...sharedFigures.map(({ key, ...figure }) =>
      judgeSeries(
        { isBytes: false, ...figure },
        warm.map((sample) => sample[key]),
      ),
    ),
  ];
  return { trends, problems: [...missing, ...trends.filter(({ grows }) => grows).map(describeGrowth)] };
}

/** @param bytes as people read them */
export function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`;
}

function judgeSeries(
  { allowance, ...series }: Pick<Trend, 'of' | 'figure' | 'isBytes'> & { readonly allowance: Allowance },
  values: readonly number[],
): Trend {
  const third = Math.floor(values.length / 3);
  const first = median(values.slice(0, third));
  const last = median(values.slice(-third));
  const grows = last > first * (1 + allowance.share) && last > first + allowance.more;
  return { ...series, first, last, grows };
}

/** @returns one line for each process that has gone, or was started anew */
function findChanges(samples: readonly SoakSample[]): readonly string[] {
  const [begin] = samples;
  return Object.entries(begin?.processes ?? {}).flatMap(([name, { pid }]) => {
    const at = samples.findIndex(({ processes }) => processes[name]?.pid !== pid);
    return at < 0 ? [] : [`${name} did not live on: it was another one, or none, after migration ${at + 1}`];
  });
}

function describeGrowth({ of, figure, isBytes, first, last }: Trend): string {
  const [from, to] = [first, last].map((value) => (isBytes ? inMegabytes(value) : String(value)));
  return `${of}: ${figure} grew from ${from} to ${to}`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

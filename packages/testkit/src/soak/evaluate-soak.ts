import { ends, fitLine, grows, leastVisible, type Limits, type Line } from './trend';

/** What one process of the service held, as it says itself. */
export interface ProcessSample {
  readonly pid: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly descriptors: number;
  /** of the descriptors, connections to OpenSearch among them; left out here and below by soaks of before */
  readonly sockets?: number;
  /** timers and intervals that keep the process alive */
  readonly timers?: number;
  /** all handles and requests of Node.js, timers included */
  readonly handles?: number;
  /** to OpenSearch's nodes, as the process reports */
  readonly connections?: number;
  /** warnings of Node.js in its log about too many listeners, since its start */
  readonly listenerWarnings?: number;
}

/** What was held after one migration, with the service at rest. */
export interface SoakSample {
  /** by the name of the process */
  readonly processes: Readonly<Record<string, ProcessSample>>;
  readonly redisKeys: number;
  readonly redisClients?: number;
  /** open points in time of the whole cluster */
  readonly snapshots: number;
}

/** What became of one figure. */
export interface Trend {
  /** name of a process, or what else has the figure */
  readonly of: string;
  readonly figure: string;
  readonly isBytes: boolean;
  /** median of the first third */
  readonly first: number;
  /** median of the second third */
  readonly middle: number;
  /** median of the last third */
  readonly last: number;
  /** more with each migration, and the error of that */
  readonly line: Line;
  /** a leak of so much with each migration would have been seen */
  readonly visibleFrom: number;
  readonly grows: boolean;
}

export interface SoakVerdict {
  readonly trends: readonly Trend[];
  /** why this is no service that stays as it is; empty: nothing was found */
  readonly problems: readonly string[];
  /** left out: it was long enough to say that the service stays as it is, when there are no problems */
  readonly tooShort?: string;
}

/** Left out: code is compiled, connections are opened, and each queue gets its keys in Redis. */
const warmUp = 3;
/** With fewer, a leak of one descriptor in each migration would not stand out from the noise. */
export const leastSamples = warmUp + 12;
const megabyte = 2 ** 20;

/**
 * Garbage is collected when V8 thinks that it pays: from one sample to another a heap may be 15 MB above or below what
 * is used, so 30 MB apart, whatever the direction. What is more than that must come of something else.
 */
const heapLimits: Limits = { perMigration: 0.5 * megabyte, inAll: 32 * megabyte };
/** Pages that V8 and the allocator keep after a burst come on top of the heap. */
const residentLimits: Limits = { perMigration: 1.5 * megabyte, inAll: 32 * megabyte };
/** Without the connections to OpenSearch: four more or less in any sample. */
const descriptorLimits: Limits = { perMigration: 0.1, inAll: 6 };
/** Idle ones stay for half a minute, so that a sample may have all that a crowd needed last, or none of them. */
const connectionLimits: Limits = { perMigration: 0.1, inAll: 40 };
/** BullMQ has some keys for a moment: stalled checks, a wake-up. */
const keyLimits: Limits = { perMigration: 0.1, inAll: 6 };

const processFigures = [
  { figure: 'resident memory', key: 'residentBytes', isBytes: true, limits: residentLimits },
  { figure: 'heap used', key: 'heapUsedBytes', isBytes: true, limits: heapLimits },
  { figure: 'file descriptors', key: 'descriptors', isBytes: false, limits: descriptorLimits },
  { figure: 'sockets', key: 'sockets', isBytes: false, limits: descriptorLimits },
  { figure: 'timers', key: 'timers', isBytes: false, limits: descriptorLimits },
  { figure: 'handles', key: 'handles', isBytes: false, limits: descriptorLimits },
  { figure: 'connections to OpenSearch', key: 'connections', isBytes: false, limits: connectionLimits },
] as const;

/**
 * Whether what a service holds stays as it is, by the samples of a soak in their order. A process must be there, with
 * the same pid, in every sample: the memory of a restarted process says nothing. No sample may have an open snapshot:
 * those of a migration go with its indices, so they would never add up.
 */
export function evaluateSoak(samples: readonly SoakSample[]): SoakVerdict {
  const problems = [...findChanges(samples), ...findSnapshots(samples), ...findWarnings(samples)];
  if (samples.length < leastSamples) {
    return { trends: [], problems, tooShort: `${samples.length} samples, ${leastSamples} are needed` };
  }
  const warm = samples.slice(warmUp);
  const lasting = Object.keys(warm[0]?.processes ?? {}).filter((name) =>
    warm.every(({ processes }) => processes[name] !== undefined),
  );
  const trends = [
    ...lasting.flatMap((of) =>
      processFigures.flatMap(({ key, ...figure }) =>
        evaluateSeries(
          { of, ...figure },
          warm.map(({ processes }) => withoutConnections(processes[of])?.[key]),
        ),
      ),
    ),
    ...evaluateSeries(
      { of: 'Redis', figure: 'keys', isBytes: false, limits: keyLimits },
      warm.map(({ redisKeys }) => redisKeys),
    ),
    ...evaluateSeries(
      { of: 'Redis', figure: 'clients', isBytes: false, limits: keyLimits },
      warm.map(({ redisClients }) => redisClients),
    ),
  ];
  return { trends, problems: [...problems, ...trends.filter((trend) => trend.grows).map(describeGrowth)] };
}

/** They have limits of their own. */
function withoutConnections(process: ProcessSample | undefined): ProcessSample | undefined {
  if (process?.connections === undefined) return process;
  const { connections, descriptors, sockets } = process;
  return {
    ...process,
    descriptors: descriptors - connections,
    ...(sockets !== undefined && { sockets: sockets - connections }),
  };
}

/** @param bytes as people read them */
export function inMegabytes(bytes: number, digits = 0): string {
  return `${(bytes / megabyte).toFixed(digits)} MB`;
}

/** A figure of a trend, as people read it. */
export function describeFigure({ isBytes }: Pick<Trend, 'isBytes'>, value: number, digits = 0): string {
  return isBytes ? inMegabytes(value, digits) : String(Number(value.toFixed(Math.max(1, digits))));
}

function evaluateSeries(
  { limits, ...series }: Pick<Trend, 'of' | 'figure' | 'isBytes'> & { readonly limits: Limits },
  figures: readonly (number | undefined)[],
): readonly Trend[] {
  const values = figures.filter((value) => value !== undefined);
  if (values.length < figures.length) return [];
  return [
    {
      ...series,
      ...ends(values),
      line: fitLine(values),
      visibleFrom: leastVisible(limits, values.length),
      grows: grows(values, limits),
    },
  ];
}

/** Many waits on one signal, or on one emitter, that nothing takes away. */
function findWarnings(samples: readonly SoakSample[]): readonly string[] {
  const last = Object.entries(samples.at(-1)?.processes ?? {});
  return last.flatMap(([name, { listenerWarnings = 0 }]) =>
    listenerWarnings === 0 ? [] : [`${name}: Node.js warned ${listenerWarnings} times of too many listeners`],
  );
}

/** @returns one line for each process that has gone, or was started again */
function findChanges(samples: readonly SoakSample[]): readonly string[] {
  const [begin] = samples;
  return Object.entries(begin?.processes ?? {}).flatMap(([name, { pid }]) => {
    const at = samples.findIndex(({ processes }) => processes[name]?.pid !== pid);
    return at < 0 ? [] : [`${name} did not live on: it was another one, or none, after migration ${at + 1}`];
  });
}

function findSnapshots(samples: readonly SoakSample[]): readonly string[] {
  return samples.flatMap(({ snapshots }, n) =>
    snapshots === 0 ? [] : [`OpenSearch: ${snapshots} snapshots were still open after migration ${n + 1}`],
  );
}

function describeGrowth(trend: Trend): string {
  const { of, figure, first, last, line } = trend;
  const [from, to] = [first, last].map((value) => describeFigure(trend, value));
  return `${of}: ${figure} grew from ${from} to ${to}, by ${describeFigure(trend, line.slope, 2)} with each migration`;
}

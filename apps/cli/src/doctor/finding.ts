import { formatBytes } from '../output/text';

type Area = 'environment' | 'api' | 'opensearch' | 'redis';

/** `fail` keeps a migration from working; at `warn` an operator should look. */
type Level = 'ok' | 'warn' | 'fail' | 'skipped';

/** A planned migration, by the names that the user gave. */
export interface Planned {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly alias?: string | undefined;
}

/** One thing that `doctor` looked at. */
export interface Finding {
  readonly area: Area;
  /** a few words that stay the same from version to version */
  readonly check: string;
  readonly level: Level;
  readonly text: string;
  /** what to do; with every warn and fail */
  readonly advice?: string;
}

/** A finding, before it is known where it belongs. */
export type Judgement = Omit<Finding, 'area' | 'check'>;

export const ok = (text: string): Judgement => ({ level: 'ok', text });
export const skipped = (text: string): Judgement => ({ level: 'skipped', text });
export const warn = (text: string, advice: string): Judgement => ({ level: 'warn', text, advice });
export const fail = (text: string, advice: string): Judgement => ({ level: 'fail', text, advice });

/** Looks at one thing. When `act` throws, the finding says that the look failed. */
export async function look(
  area: Area,
  check: string,
  advice: string,
  act: () => Promise<Judgement | readonly Judgement[]>,
): Promise<readonly Finding[]> {
  const judged = await act().catch((error: unknown) =>
    fail(error instanceof Error ? error.message : String(error), advice),
  );
  const all: readonly Judgement[] = 'level' in judged ? [judged] : judged;
  return all.map((one) => ({ area, check, ...one }));
}

const longSkewMs = 5_000;

/** @param skewMs that clock minus this machine's @param errorMs how wrong it may be */
export function judgeClock(whose: string, skewMs: number, errorMs: number): Judgement {
  const off = `${whose} is ${Math.abs(Math.round(skewMs))} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(skewMs) - errorMs <= longSkewMs) return ok(`${off}, give or take ${Math.ceil(errorMs)} ms`);
  return warn(
    off,
    'Keep all machines at the same time (NTP): records, logs and waits name moments of several clocks.',
  );
}

const longTripMs = 50;

/** @param samplesMs of requests that cost the server nothing */
export function judgeRoundTrip(
  samplesMs: readonly number[],
  advice = 'Run the service near both servers: each bulk and each page costs a round trip.',
): Judgement {
  const middle = median(samplesMs);
  const text = `${middle.toFixed(1)} ms (median of ${samplesMs.length})`;
  if (middle <= longTripMs) return ok(text);
  return warn(text, advice);
}

/** Without a worker nothing is copied; without a scheduler no migration begins, ends or is cancelled. */
export function judgeRunning(what: 'worker' | 'scheduler', count: number): Judgement {
  if (count > 0) return ok(`${count} ${count === 1 ? 'takes' : 'take'} jobs`);
  const cost = what === 'worker' ? 'nothing is copied' : 'no migration goes on';
  return fail(
    `no ${what} takes jobs: ${cost} until one does`,
    `Start one (npm run ${what}, or its container), with the variables for OpenSearch and Redis that the API has.`,
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Versions below `least` lack what a copy is made of; the others are those of docs/reference/versions.md. */
const versions = { least: [2, 9], testedFrom: [2, 17], testedBelow: [4, 0] } as const;

/** @param version of `GET /`; a setting can make a cluster answer 7.10.2 */
export function judgeVersion(version: string): Judgement {
  const [major, minor] = version.split('.').map(Number);
  const name = `OpenSearch ${version}`;
  const page =
    'docs/reference/versions.md has the versions that are tested; each start checks what the cluster can do.';
  if (
    major === undefined ||
    minor === undefined ||
    Number.isNaN(major) ||
    Number.isNaN(minor) ||
    version === '7.10.2'
  )
    return warn(`${name} does not show what the cluster can do`, page);
  const isBelow = ([first, second]: readonly [number, number]): boolean =>
    major < first || (major === first && minor < second);
  if (isBelow(versions.least))
    return fail(`${name} is too old`, 'Use OpenSearch 2.9 or later: a start would be refused.');
  if (isBelow(versions.testedFrom) || !isBelow(versions.testedBelow))
    return warn(`${name} is not tested`, page);
  return ok(name);
}

/** What BullMQ asks for, and what it advises (`RedisConnection` of bullmq 6). */
const redisVersions = { least: [5, 0], advised: [6, 2] } as const;

export function judgeRedisVersion(version: string): Judgement {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (Number.isNaN(major))
    return warn('does not say which version it is', 'Use Redis 6.2 or later, or what is compatible with it.');
  const isBelow = ([first, second]: readonly [number, number]): boolean =>
    major < first || (major === first && minor < second);
  if (isBelow(redisVersions.least))
    return fail(`version ${version}`, 'Use Redis 6.2 or later: queues need at least 5.0.');
  if (isBelow(redisVersions.advised))
    return warn(`version ${version}`, 'Use Redis 6.2 or later, as BullMQ advises.');
  return ok(`version ${version}`);
}

/** @param maxBytes 0: no limit */
export function judgeRedisMemory(usedBytes: number, maxBytes: number): Judgement {
  if (maxBytes === 0) return ok(`${formatBytes(usedBytes)} used, no limit`);
  const text = `${formatBytes(usedBytes)} used of ${formatBytes(maxBytes)}`;
  if (usedBytes < maxBytes * 0.8) return ok(text);
  return warn(
    text,
    'Raise maxmemory, or let nothing else use this Redis: when it is full, jobs are refused.',
  );
}

/** @param saves undefined: not known */
export function judgePersistence(appends: boolean, saves: boolean | undefined): Judgement {
  if (appends) return ok('appends each change to a file');
  if (saves === undefined) return ok('does not say whether it saves: the records in OpenSearch are enough');
  return ok(
    saves
      ? 'saves from time to time'
      : 'keeps nothing over a restart: jobs are made again from the records in OpenSearch',
  );
}

/** @param needed points in time that a migration of the given source needs there; 0: the user gave no source */
export function judgeSnapshotRoom(
  node: string,
  open: number,
  limit: number,
  needed: number,
  setting: string,
): Judgement {
  const text = `node ${node}: ${open} of ${limit} points in time are open${needed === 0 ? '' : `, the migration needs ${needed} more`}`;
  const advice = `Set the cluster setting ${setting} to at least ${Math.max(limit, 2 * (open + Math.max(needed, 1)))}, or wait until other searches have ended.`;
  if (open + needed > limit) return fail(text, advice);
  return open > limit * 0.8 ? warn(text, advice) : ok(text);
}

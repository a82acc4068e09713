import { jobOfShardPhase } from '../shard/transitions';
import type { MigrationRecord, ShardRecord, Wait, Waiting } from '@aosc/contract';

/**
 * What a migration waits for before any of its shards can go on; undefined: only for its own work.
 * @param workers how many worker processes take jobs
 * @param permits the setting `aosc.backfill.max_concurrent_per_node`
 */
export function findWaitingReason(
  shards: readonly ShardRecord[],
  { workers, permits }: { readonly workers: number; readonly permits: number },
): 'worker' | 'permit' | undefined {
  const waiting = shards.filter(({ phase }) => jobOfShardPhase[phase] !== undefined);
  if (waiting.length === 0) return undefined;
  if (workers === 0) return 'worker';
  // A shard with a permit keeps it, and shards whose backfill is done need none.
  const needsPermit = ({ phase, writer }: ShardRecord): boolean =>
    jobOfShardPhase[phase] === 'backfill' && writer.owner === undefined;
  return permits === 0 && waiting.some(needsPermit) && !waiting.some(isCopying) ? 'permit' : undefined;
}

/** The parts of the service that find out what a migration waits for. Each names at most one thing, in this order. */
const finders = ['owners', 'cutover', 'steps'] as const;
export type WaitFinder = (typeof finders)[number];

const finderOf: { readonly [R in Wait['reason']]: WaitFinder } = {
  worker: 'owners',
  permit: 'owners',
  target: 'cutover',
  gap: 'cutover',
  cluster: 'steps',
  refused: 'steps',
};

type Waits = Pick<MigrationRecord, 'waits'>;

const isFoundBy = ({ reason }: Wait, finder: WaitFinder): boolean => finderOf[reason] === finder;

/** What a finder has found. `steps` finds a step on the way to the swap that the cluster does not let happen. */
export function findWaiting({ waits }: Waits, finder: WaitFinder): Waiting | undefined {
  return waits.filter((wait) => wait.reason !== 'refused').find((wait) => isFoundBy(wait, finder));
}

/** The step of the abort that the cluster refuses, and what the operator should do. */
export function findRefusal({ waits }: Waits): string | undefined {
  return waits.find((wait) => wait.reason === 'refused')?.text;
}

/** @param wait undefined: the finder finds nothing any more */
export function replaceWait(
  waits: readonly Wait[],
  finder: WaitFinder,
  wait: Wait | undefined,
): readonly Wait[] {
  const others = waits.filter((each) => !isFoundBy(each, finder));
  const all = wait === undefined ? others : [...others, wait];
  return finders.flatMap((each) => all.filter((one) => isFoundBy(one, each)));
}

/** The wait that is shown: when no worker runs, that explains all other waits. */
export function shownWaiting(record: Waits): Waiting | undefined {
  return findWaiting(record, 'owners') ?? findWaiting(record, 'steps') ?? findWaiting(record, 'cutover');
}

const isCopying = ({ phase, writer }: ShardRecord): boolean =>
  jobOfShardPhase[phase] === 'backfill' && writer.owner !== undefined;

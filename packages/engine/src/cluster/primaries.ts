import type { Call } from '../ports/call';
import { ClusterError } from '../ports/cluster-error';
import type { IndexPorts } from '../ports/index-ports';
import type {
  IndexRouting,
  IndexStatePort,
  PrimaryCheckpoint,
  PrimaryRouting,
  ShardCopy,
} from '../ports/index-state-port';

/** A primary that a reader can address. */
export interface StartedPrimary extends PrimaryRouting {
  readonly nodeId: string;
  readonly allocationId: string;
}

/** What it takes to know the primaries of an index, and to ask them. */
export type PrimariesOf<Asked extends keyof IndexStatePort = never> = Pick<IndexPorts, 'index'> & {
  readonly state: Pick<IndexStatePort, 'readRouting' | 'readCheckpoints' | Asked>;
};

/**
 * Reads something that must be current from named primaries, and checks afterwards that each of them was its shard's
 * primary all the time. A node that was paused, removed from the cluster and resumed takes itself for a primary until
 * it has joined again, and answers with what it had.
 *
 * Two looks must agree, both taken after the answer. The cluster's state shows the same allocation, node and term as
 * before, and only that node calls itself primary: `readCheckpoints` asks every copy, and each copy that the state
 * shows must answer, as it might be the successor. A successor takes no write before it calls itself primary, so what
 * was read had not changed by then.
 * @param read gets a way from a shard to its primary, which throws ClusterError 'transient' where there is none
 * @param known the routing, when the caller has asked for it, or has begun to: the older it is, the longer must its
 *   primaries have stayed
 * @throws ClusterError 'transient' when a primary has changed meanwhile: ask again
 */
export async function readFromPrimaries<T>(
  index: PrimariesOf,
  call: Call,
  read: PrimaryRead<T>,
  known?: IndexRouting | Promise<IndexRouting>,
): Promise<T> {
  const { answer, confirmed } = await readUnconfirmed(index, call, read, known);
  await confirmed;
  return answer;
}

/** A read, given a way from a shard to its primary. */
export type PrimaryRead<T> = (
  primaryOf: (shard: number) => StartedPrimary,
  routing: IndexRouting,
) => Promise<T>;

/** A read that may be out of date until it is confirmed. */
export interface Unconfirmed<T> {
  readonly answer: T;
  /** Rejects as {@link readFromPrimaries} does. The caller awaits it, whatever else fails. */
  readonly confirmed: Promise<void>;
}

/** The same for a caller that can use what it has read before it is confirmed. */
export async function readUnconfirmed<T>(
  { index, state }: PrimariesOf,
  call: Call,
  read: PrimaryRead<T>,
  known?: IndexRouting | Promise<IndexRouting>,
): Promise<Unconfirmed<T>> {
  const before = await (known ?? state.readRouting(call));
  const used = new Map<number, StartedPrimary>();
  const answer = await read((shard) => {
    const primary = findStarted(before, index, shard);
    used.set(shard, primary);
    return primary;
  }, before);
  const confirmed = confirm({ index, state }, call, before, [...used.values()]);
  // The caller awaits it later: until then a failure must not count as unhandled.
  confirmed.catch(() => undefined);
  return { answer, confirmed };
}

async function confirm(
  { index, state }: PrimariesOf,
  call: Call,
  before: IndexRouting,
  used: readonly StartedPrimary[],
): Promise<void> {
  const [after, checkpoints] = await Promise.all([state.readRouting(call), state.readCheckpoints(call)]);
  if (after.indexUuid !== before.indexUuid)
    throw new ClusterError('transient', `index ${index} was replaced while it was read`);
  for (const primary of used) {
    if (isStill(primary, after, checkpoints)) continue;
    throw new ClusterError(
      'transient',
      `the primary of ${index}[${primary.shard}] was not node [${primary.nodeId}] all the time while it was read`,
    );
  }
}

export function copyOf({ shard, nodeId }: StartedPrimary): ShardCopy {
  return { shard, nodeId };
}

export function isSamePrimary(a: PrimaryRouting, b: PrimaryRouting): boolean {
  return a.nodeId === b.nodeId && a.allocationId === b.allocationId && a.primaryTerm === b.primaryTerm;
}

function findStarted({ primaries }: IndexRouting, index: string, shard: number): StartedPrimary {
  const primary = primaries.find((each) => each.shard === shard);
  if (primary !== undefined && isReadable(primary)) return primary;
  throw new ClusterError('transient', `the primary of ${index}[${shard}] is ${primary?.state ?? 'missing'}`);
}

function isReadable(primary: PrimaryRouting): primary is StartedPrimary {
  const { state, nodeId, allocationId } = primary;
  return (
    (state === 'STARTED' || state === 'RELOCATING') && nodeId !== undefined && allocationId !== undefined
  );
}

function isStill(
  primary: StartedPrimary,
  { primaries }: IndexRouting,
  checkpoints: readonly PrimaryCheckpoint[],
): boolean {
  const now = primaries.find(({ shard }) => shard === primary.shard);
  const told = checkpoints.find(({ shard }) => shard === primary.shard);
  if (now === undefined || told === undefined) return false;
  return isSamePrimary(primary, now) && told.nodeId === primary.nodeId && told.copiesTold >= now.activeCopies;
}

import { shardOf, type TargetDocument } from '@aosc/domain';
import { requireElement } from '../require-element';
import { searchCopies } from './search-copies';
import type { Call } from '../ports/call';
import { ClusterError, isNodeRefused } from '../ports/cluster-error';
import type { DocumentKey } from '../ports/documents';
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

/** The ports that show where the primaries of an index are, and that ask them. */
type PrimariesOf<Asked extends keyof IndexStatePort = never> = Pick<IndexPorts, 'index'> & {
  readonly state: Pick<IndexStatePort, 'readRouting' | 'readCheckpoints' | Asked>;
};

/**
 * Reads something that must be current from named primaries, and checks afterwards that each of them was its shard's
 * primary all the time. A node that was paused, removed from the cluster and resumed takes itself for a primary until
 * it has joined again, and answers from its old state.
 *
 * The check takes two looks after the answer, and both must confirm the primary. The cluster state must show the same
 * allocation, node and term as before the read. And no other copy may call itself primary: `readCheckpoints` asks every
 * copy, and each active copy must answer, because it might be the successor. A successor takes no write before it calls
 * itself primary. So no other copy has changed what was read.
 * @param read gets a function from a shard to its primary, which throws ClusterError 'transient' where there is none
 * @param known the routing, if the caller has read it or is reading it; the primaries must not have changed since
 * @throws ClusterError 'transient' when a primary has changed during the look: ask again
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

type PrimaryRead<T> = (primaryOf: (shard: number) => StartedPrimary, routing: IndexRouting) => Promise<T>;

/** A read that may be out of date until it is confirmed. */
export interface Unconfirmed<T> {
  readonly answer: T;
  /**
   * Rejects where {@link readFromPrimaries} would throw. A caller that does not await this does not know whether
   * `answer` is current.
   */
  readonly confirmed: Promise<void>;
}

/** {@link readFromPrimaries} for a caller that can use the answer before it is confirmed. */
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
  // The caller awaits `confirmed` later: until then a failure must not count as unhandled.
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

/** A primary that moves takes reads and writes until its new copy has started. */
export const isRunning = ({ state }: Pick<PrimaryRouting, 'state'>): boolean =>
  state === 'STARTED' || state === 'RELOCATING';

function isReadable(primary: PrimaryRouting): primary is StartedPrimary {
  return isRunning(primary) && primary.nodeId !== undefined && primary.allocationId !== undefined;
}

function isStill(
  primary: StartedPrimary,
  { primaries }: IndexRouting,
  checkpoints: readonly PrimaryCheckpoint[],
): boolean {
  const now = primaries.find(({ shard }) => shard === primary.shard);
  const checkpoint = checkpoints.find(({ shard }) => shard === primary.shard);
  if (now === undefined || checkpoint === undefined) return false;
  return (
    isSamePrimary(primary, now) &&
    checkpoint.nodeId === primary.nodeId &&
    checkpoint.copiesAnswered >= now.activeCopies
  );
}

/**
 * Counts the root documents of an index by shard, on named primaries: a node that was away from the cluster would count
 * an old state. Each primary is refreshed first, so every document that was acknowledged before the call counts. The
 * call `_refresh` would also refresh the replicas, for which a small node has only one thread.
 * @param query left out: all documents
 * @param known the routing, when the caller has just read it
 * @returns documents by shard number, one entry for every shard
 * @throws ClusterError 'transient' when a primary is missing, or has changed during the count
 */
export async function countFresh(
  index: PrimariesOf<'countCopies'> & Pick<IndexPorts, 'snapshots'>,
  call: Call,
  query?: Readonly<Record<string, unknown>>,
  known?: IndexRouting,
): Promise<ReadonlyMap<number, number>> {
  const count: PrimaryRead<ReadonlyMap<number, number>> = async (primaryOf, { shape }) => {
    const copies = Array.from({ length: shape.shardCount }, (_, shard) => copyOf(primaryOf(shard)));
    await Promise.all(copies.map((copy) => index.snapshots.refreshCopy(copy, shape, call)));
    const counts = await index.state.countCopies(copies, query, call);
    return new Map(counts.map((documents, shard) => [shard, documents]));
  };
  return readFromPrimaries(index, call, count, known);
}

export function sumOf(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

type ReadIndex = PrimariesOf<'getDocuments'> & Pick<IndexPorts, 'snapshots'>;

/**
 * Looks documents up in real time on the primaries of their shards. A node that was away from the cluster could answer
 * "not there", and its caller would then not delete a document of the target that has to go.
 * @returns in the order of the keys
 * @throws ClusterError 'transient' when a primary has changed during the look: ask again
 */
export async function getFromPrimaries(
  index: ReadIndex,
  keys: readonly DocumentKey[],
  call: Call,
): Promise<readonly TargetDocument[]> {
  const { answer, confirmed } = await getUnconfirmed(index, keys, call);
  await confirmed;
  return answer;
}

/**
 * {@link getFromPrimaries} for a caller that can use the answer before it is confirmed.
 * @param known see {@link readFromPrimaries}
 */
export async function getUnconfirmed(
  index: ReadIndex,
  keys: readonly DocumentKey[],
  call: Call,
  known?: Promise<IndexRouting>,
): Promise<Unconfirmed<readonly TargetDocument[]>> {
  if (keys.length === 0) return { answer: [], confirmed: Promise.resolve() };
  const read: PrimaryRead<readonly TargetDocument[]> = async (primaryOf, { shape }) => {
    const byNode = new Map<string, number[]>();
    keys.forEach((key, at) => {
      const { nodeId } = primaryOf(shardOf(key, shape));
      const positions = byNode.get(nodeId);
      if (positions === undefined) byNode.set(nodeId, [at]);
      else positions.push(at);
    });
    const found = new Map<number, TargetDocument>();
    await Promise.all(
      [...byNode].map(async ([nodeId, positions]) => {
        const wanted = positions.map((at) => requireElement(keys, at));
        const answers = await index.state.getDocuments(wanted, call, nodeId).catch((error: unknown) => {
          if (!isNodeRefused(error)) throw error;
          return searchCopies(index, { keys: wanted, nodeId, shape }, call);
        });
        positions.forEach((at, n) => found.set(at, requireElement(answers, n)));
      }),
    );
    return keys.map((_key, at) => {
      const document = found.get(at);
      if (document === undefined) throw new Error(`no answer for key ${at} of ${keys.length}`);
      return document;
    });
  };
  return readUnconfirmed(index, call, read, known);
}

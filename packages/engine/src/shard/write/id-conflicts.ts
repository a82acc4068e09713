import {
  decideMeeting,
  documentKeyString,
  type MeetingDecision,
  shardOf,
  type TargetDocument,
} from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey } from '../../ports/documents';
import type { BulkItem } from '../../ports/write-port';
import { requireElement } from '../../require-element';
import { getFromPrimaries } from '../../cluster/primaries';
import { ShardFailedError } from '../errors';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { rewritesIdentity } from './transform';
import { inRequests } from '../read/chunks';
import { findHeads } from '../read/pages';

/** How long a document may be in the source under both its routings while an application moves it; milliseconds. */
const moveMs = 10_000;
const movePollMs = 250;

/** In the place of our document the target has a document with the same id and another routing. */
export interface IdConflict {
  readonly ours: DocumentKey;
  readonly other: DocumentKey;
  /** deletes the other document, if it has not changed since the target showed it */
  readonly removal: BulkItem;
}

/** @returns undefined when the place is free, or has our document */
export function findIdConflict({ id, routing }: DocumentKey, target: TargetDocument): IdConflict | undefined {
  if (!target.found || target.routing === routing) return undefined;
  const { seqNo, primaryTerm } = target;
  const other = { id, routing: target.routing };
  return { ours: { id, routing }, other, removal: { kind: 'delete', key: other, seqNo, primaryTerm } };
}

/**
 * Decides which of the other documents have to go. Where the other document stays, ours is left out.
 *
 * If the other document is of this source shard, the shard's snapshot decides. A document that the snapshot no longer
 * has is stale and goes: its routing changed while a lost snapshot was being replaced. If the other document is of
 * another source shard, the live source decides. An application may have deleted it there and made it again here, and
 * the other shard's next round may come too late to remove it.
 * @returns the conflicts whose other document goes
 * @throws ShardFailedError when both are documents of the source, so that only the operator can decide; under the
 *   confirmed block only if both are of this shard
 */
export async function resolveIdConflicts(
  session: ShardSession,
  snapshot: Snapshot,
  idConflicts: readonly IdConflict[],
): Promise<ReadonlySet<IdConflict>> {
  const { migration } = session.context;
  const [first] = idConflicts;
  if (first !== undefined && rewritesIdentity(session)) {
    throw new ShardFailedError(
      `the transform gives the id [${first.ours.id}] to documents with different routings that fall ` +
        'into one target shard, where only one can live',
    );
  }
  const own = idConflicts.filter(({ other }) => isOfThisShard(session, other));
  const present = await findHeads(
    session,
    snapshot,
    own.map(({ other }) => other),
  );
  refuse(own.find(({ other }) => present.has(documentKeyString(other))));
  const moved = idConflicts.filter((idConflict) => !own.includes(idConflict));
  // Under the confirmed block the source does not change any more, so one look is enough. The block may have come between
  // the two requests of a move: then the look before the swap names both documents, and the attempt is undone.
  const isBlocked = migration.writeBlock?.confirmed === true;
  const decisions = await askSource(session, moved, isBlocked ? 0 : moveMs);
  if (!isBlocked) refuse(moved.find((idConflict) => decisions.get(idConflict) === 'ask_again'));
  return new Set([...own, ...moved.filter((idConflict) => decisions.get(idConflict) === 'take_place')]);
}

function refuse(shared: IdConflict | undefined): void {
  if (shared !== undefined) throw new ShardFailedError(describeShared(shared));
}

export function isOfThisShard({ context }: ShardSession, key: DocumentKey): boolean {
  const { sourceShardCount, sourceRouting } = context.migration;
  return shardOf(key, { shardCount: sourceShardCount, ...sourceRouting }) === context.shard;
}

export function describeShared({ ours, other }: Pick<IdConflict, 'ours' | 'other'>): string {
  return (
    `two documents of the source share the target id [${ours.id}]: routing [${ours.routing ?? ''}] and ` +
    `[${other.routing ?? ''}] fall into one target shard, where only one can live`
  );
}

/**
 * Asks the live source which of the two documents it has, and repeats that while it has both.
 * @param waitMs bound of the repetitions, in milliseconds
 * @returns `ask_again` where the source has both documents even then
 */
export async function askSource(
  session: ShardSession,
  idConflicts: readonly IdConflict[],
  waitMs: number,
): Promise<ReadonlyMap<IdConflict, MeetingDecision>> {
  const { clock } = session.context;
  const deadline = clock.monotonic() + waitMs;
  const decisions = new Map<IdConflict, MeetingDecision>();
  let open = idConflicts;
  while (open.length > 0) {
    const live = await readLive(
      session,
      open.flatMap(({ ours, other }) => [ours, other]),
    );
    open.forEach((idConflict, i) => {
      const pair = { ours: requireElement(live, 2 * i), other: requireElement(live, 2 * i + 1) };
      decisions.set(idConflict, decideMeeting(pair));
    });
    open = open.filter((idConflict) => decisions.get(idConflict) === 'ask_again');
    if (clock.monotonic() >= deadline) break;
    if (open.length > 0) await clock.sleep(movePollMs, session.signal);
  }
  return decisions;
}

/** Which of the documents the source has at this moment. The same id with another routing does not count. */
async function readLive(session: ShardSession, keys: readonly DocumentKey[]): Promise<readonly boolean[]> {
  const { source } = session.context;
  const live: boolean[] = [];
  for (const part of inRequests(keys)) {
    const found = await retryingReads(session, (call) => getFromPrimaries(source, part, call));
    live.push(
      ...found.map((document, i) => document.found && document.routing === requireElement(part, i).routing),
    );
  }
  return live;
}

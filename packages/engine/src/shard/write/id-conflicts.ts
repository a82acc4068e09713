import {
  decideMeeting,
  documentKeyString,
  type MeetingDecision,
  shardOf,
  type TargetDocument,
} from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentKey } from '../../ports/documents';
import { elementAt } from '../../cluster/element-at';
import { ShardFailedError } from '../errors';
import { getFromPrimaries } from '../../cluster/get-from-primaries';
import { retryingReads } from '../session/retrying-reads';
import type { ShardSession } from '../session/shard-session';
import { rewritesIdentity } from './transform';
import { inRequests } from '../read/chunks';
import { findPresent } from '../read/heads';

/** How long a document may be in the source under both its routings while an application moves it; milliseconds. */
const moveMs = 10_000;
const movePollMs = 250;

/** A document of the same id and another routing that lies in the place of ours. */
export interface IdConflict {
  readonly ours: DocumentKey;
  readonly other: DocumentKey;
  /** what was seen in the target */
  readonly target: { readonly seqNo: number; readonly primaryTerm: number };
}

export type IdConflictVerdict = Exclude<MeetingDecision, 'ask_again'>;

/**
 * What to do about each stranger. One that this shard wrote and its snapshot does not have any more (the routing was
 * changed while a lost snapshot was being replaced) is stale and goes. About one of another source shard the live source
 * decides: a document that was deleted there and made here has moved, and the other shard's next round may come late.
 * @throws ShardFailedError when both are documents of the source, so that only the operator can decide
 */
export async function resolveIdConflicts(
  session: ShardSession,
  snapshot: Snapshot,
  idConflicts: readonly IdConflict[],
): Promise<readonly IdConflictVerdict[]> {
  if (idConflicts.length === 0) return [];
  const { migration } = session.context;
  if (rewritesIdentity(session)) {
    throw new ShardFailedError(
      `the transform gives the id [${idConflicts[0]?.ours.id ?? ''}] to documents with different routings that fall ` +
        'into one target shard, where only one can live',
    );
  }
  const verdicts = new Map<IdConflict, IdConflictVerdict>();
  const own = idConflicts.filter(({ other }) => isOfThisShard(session, other));
  const present = await findPresent(
    session,
    snapshot,
    own.map(({ other }) => other),
  );
  for (const idConflict of own) {
    if (present.has(documentKeyString(idConflict.other)))
      throw new ShardFailedError(describeShared(idConflict));
    verdicts.set(idConflict, 'take_place');
  }
  const moved = idConflicts.filter((idConflict) => !verdicts.has(idConflict));
  // Under the confirmed block the source does not change any more.
  const decisions = await askSource(session, moved, migration.writeBlock?.confirmed === true ? 0 : moveMs);
  moved.forEach((idConflict, i) => {
    const decision = elementAt(decisions, i);
    if (decision === 'ask_again') throw new ShardFailedError(describeShared(idConflict));
    verdicts.set(idConflict, decision);
  });
  return idConflicts.map((idConflict) => verdicts.get(idConflict) ?? 'take_place');
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
 * Asks the live source which of the two it has, again and again while it has both.
 * @param waitMs bound of that, in milliseconds
 * @returns `ask_again` for those of which it has both even then
 */
export async function askSource(
  session: ShardSession,
  idConflicts: readonly IdConflict[],
  waitMs: number,
): Promise<readonly MeetingDecision[]> {
  const { clock } = session.context;
  const deadline = clock.monotonic() + waitMs;
  const decisions = new Map<IdConflict, MeetingDecision>();
  let open = idConflicts;
  for (;;) {
    const ours = await readLive(
      session,
      open.map((idConflict) => idConflict.ours),
    );
    const others = await readLive(
      session,
      open.map((idConflict) => idConflict.other),
    );
    open.forEach((idConflict, i) =>
      decisions.set(idConflict, decideMeeting({ ours: elementAt(ours, i), other: elementAt(others, i) })),
    );
    open = open.filter((idConflict) => decisions.get(idConflict) === 'ask_again');
    if (open.length === 0 || clock.monotonic() >= deadline) break;
    await clock.sleep(movePollMs, session.signal);
  }
  return idConflicts.map((idConflict) => decisions.get(idConflict) ?? 'ask_again');
}

/** Which of the documents the source has at this moment. */
async function readLive(session: ShardSession, keys: readonly DocumentKey[]): Promise<readonly boolean[]> {
  const { source } = session.context;
  const live: boolean[] = [];
  for (const part of inRequests(keys)) {
    const found = await retryingReads(session, (call) => getFromPrimaries(source, part, call));
    live.push(...part.map((key, i) => isThis(key, elementAt(found, i))));
  }
  return live;
}

/** In the key's shard there may be a document of the same id with another routing. */
function isThis(key: DocumentKey, found: TargetDocument): boolean {
  return found.found && found.routing === key.routing;
}

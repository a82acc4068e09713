import { createPageSizer, documentKeyString } from '@aosc/domain';
import type { Snapshot } from '@aosc/contract';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import type { Selection } from '../../ports/snapshot-port';
import type { ShardSession } from '../session/shard-session';
import { inRequests } from './chunks';
import { readFittingPage } from './fitting-page';
import { reportLoss } from './on-snapshot';
import { keepAliveOf } from '../snapshot/open-on-copy';

export const headsPageSize = 5000;

/** Reads all heads of a selection, page by page. */
export async function* readHeads(
  session: ShardSession,
  snapshot: Snapshot,
  selection: Selection,
): AsyncGenerator<readonly DocumentHead[]> {
  const { source } = session.context;
  const sizes = { pages: createPageSizer({ firstPage: headsPageSize }), limit: () => headsPageSize };
  const request = { pitId: snapshot.pitId, keepAliveMs: keepAliveOf(session, snapshot), selection };
  let after: string | undefined;
  for (;;) {
    const from = after === undefined ? request : { ...request, after };
    const { page, isLast } = await reportLoss(
      readFittingPage(session, sizes, (size, call) => source.snapshots.readHeads({ ...from, size }, call)),
    );
    if (page.documents.length > 0) yield page.documents;
    if (isLast) return;
    after = page.next;
  }
}

/** Which of the given documents a snapshot has, by (`_id`, `_routing`). @returns `documentKeyString` -> `_version` */
export async function findPresent(
  session: ShardSession,
  snapshot: Snapshot,
  keys: readonly DocumentKey[],
): Promise<ReadonlyMap<string, string>> {
  const present = new Map<string, string>();
  const ids = [...new Set(keys.map(({ id }) => id))];
  for (const part of inRequests(ids)) {
    for await (const heads of readHeads(session, snapshot, { kind: 'ids', ids: part })) {
      for (const head of heads) present.set(documentKeyString(head), head.version);
    }
  }
  return present;
}

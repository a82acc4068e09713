import { createPageSizer, documentKeyString } from '@aosc/domain';
import type { DocumentHead, DocumentKey } from '../../ports/documents';
import type { PageRequest, Selection, SnapshotPort } from '../../ports/snapshot-port';
import type { ShardSession } from '../session/shard-session';
import { inRequests } from './chunks';
import { fittingPages } from './fitting-page';
import { reportLoss } from './on-snapshot';
import { keepAliveOf, unrecordedKeepAlive } from '../snapshot/open-on-copy';
import type { DocumentView } from './document-view';

export const headsPageSize = 5000;

/** Reads all heads of a selection, page by page. */
export async function* readHeads(
  session: ShardSession,
  view: Pick<DocumentView, 'pitId' | 'linked'>,
  selection: Selection,
): AsyncGenerator<readonly DocumentHead[]> {
  if (view.linked === undefined) {
    const { snapshots } = session.context.source;
    const request = { pitId: view.pitId, keepAliveMs: keepAliveOf(session, view), selection };
    yield* readHeadPages(session, snapshots, request, reportLoss);
    return;
  }
  const { target, timing } = session.context;
  for (const { pitId, upTo } of view.linked) {
    const request = { pitId, keepAliveMs: unrecordedKeepAlive(timing), selection };
    for await (const heads of readHeadPages(session, target.snapshots, request, (reading) => reading)) {
      yield heads.filter(({ seqNo }) => seqNo <= upTo);
    }
  }
}

async function* readHeadPages(
  session: ShardSession,
  snapshots: Pick<SnapshotPort, 'readHeads'>,
  request: Pick<PageRequest, 'pitId' | 'keepAliveMs' | 'selection'>,
  report: <T>(reading: Promise<T>) => Promise<T>,
): AsyncGenerator<readonly DocumentHead[]> {
  const sizes = { pages: createPageSizer({ firstPage: headsPageSize }), limit: () => headsPageSize };
  yield* fittingPages(session, sizes, request, (from, call) => report(snapshots.readHeads(from, call)));
}

/** Which of the given documents a snapshot has, by (`_id`, `_routing`). @returns `documentKeyString` -> `_version` */
export async function findPresent(
  session: ShardSession,
  snapshot: DocumentView,
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

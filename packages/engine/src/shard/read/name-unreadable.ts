import { ClusterError, instead } from '../../ports/cluster-error';
import type { PageRequest, SnapshotPort } from '../../ports/snapshot-port';
import { retryingReads, type Retrying } from '../session/retrying-reads';

/**
 * Names a document whose source has no JSON form (a YAML `.nan`, UTF-16). Because of such a document OpenSearch refuses
 * the whole page, without a name. Pages come in index order, so the shortest page that is refused ends with that
 * document.
 * @param request of the page that was refused
 * @returns the error of that page, with the document's id where it could be found
 */
export async function nameUnreadable(
  session: Retrying,
  snapshots: Pick<SnapshotPort, 'readDocuments' | 'readHeads'>,
  request: PageRequest,
  error: ClusterError,
): Promise<ClusterError> {
  const isReadable = async (size: number): Promise<boolean> => {
    const reading = retryingReads(session, (call) => snapshots.readDocuments({ ...request, size }, call));
    const page = await reading.catch(instead(undefined, 'invalid'));
    page?.release();
    return page !== undefined;
  };
  let readable = 0;
  let refused = request.size;
  while (refused - readable > 1) {
    const middle = Math.floor((readable + refused) / 2);
    if (await isReadable(middle)) readable = middle;
    else refused = middle;
  }
  if (await isReadable(refused)) return error;
  const heads = await retryingReads(session, (call) =>
    snapshots.readHeads({ ...request, size: refused }, call),
  );
  const head = heads.documents[refused - 1];
  if (head === undefined) return error;
  return new ClusterError(
    'invalid',
    `document [${head.id}] can't be copied, because its source can't be read as JSON; write it again as JSON, or delete ` +
      `it, and start again: ${error.message}`,
    error.details,
    { cause: error },
  );
}

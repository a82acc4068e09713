import type { PageSizer } from '@aosc/domain';
import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import type { Page, PageRequest } from '../../ports/snapshot-port';
import { retryingReads, type Retrying } from '../session/retrying-reads';

export interface PageSizes {
  readonly pages: PageSizer;
  /** most documents of a page, read for each */
  readonly limit: () => number;
}

/**
 * Reads a page that the cluster takes: after any refusal the next request asks for less. After a refusal for overload
 * there is a pause. An answer that would be too large is asked for in parts at once.
 * @throws ShardFailedError as {@link retryingReads} does; ClusterError of any other kind
 */
export async function readFittingPage<P extends Page<unknown>>(
  session: Retrying,
  { pages, limit }: PageSizes,
  read: (size: number, call: Call) => Promise<P>,
): Promise<{ readonly page: P; readonly isLast: boolean }> {
  let size = 0;
  const refuse = (bytes?: number): boolean => pages.refuse(size, bytes);
  const readOnce = (call: Call): Promise<P> => {
    size = pages.size(limit());
    return read(size, call);
  };
  for (;;) {
    try {
      const page = await retryingReads(session, readOnce, refuse);
      pages.learn({ documents: page.documents.length, bytes: page.bytes });
      return { page, isLast: page.documents.length < size || page.next === undefined };
    } catch (error) {
      if (!isClusterError(error, 'too_large') || !refuse(error.details.bytes)) throw error;
    }
  }
}

/** All pages of what is asked for, one after the other. @param between is waited for before each further one */
export async function* fittingPages<D>(
  session: Retrying,
  sizes: PageSizes,
  request: Omit<PageRequest, 'size' | 'after'>,
  read: (request: PageRequest, call: Call) => Promise<Page<D>>,
  between: () => Promise<void> = () => Promise.resolve(),
): AsyncGenerator<readonly D[]> {
  let from = request;
  for (;;) {
    const { page, isLast } = await readFittingPage(session, sizes, (size, call) =>
      read({ ...from, size }, call),
    );
    if (page.documents.length > 0) yield page.documents;
    if (isLast) return;
    from = { ...request, ...(page.next !== undefined && { after: page.next }) };
    await between();
  }
}

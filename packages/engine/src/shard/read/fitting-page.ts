import type { PageSizer } from '@aosc/domain';
import type { Call } from '../../ports/call';
import { isClusterError } from '../../ports/cluster-error';
import type { DocumentPage, Page, PageRequest } from '../../ports/snapshot-port';
import { retryingReads, type Retrying } from '../session/retrying-reads';

export interface PageSizes {
  readonly pages: PageSizer;
  /** the most documents of a page; asked again for each page */
  readonly limit: () => number;
}

/**
 * Reads a page of a size that the cluster accepts: after any refusal the next request asks for less. After a refusal
 * for overload there is a pause, after an answer that would be too large there is none.
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

interface PageRead<D> {
  readonly page: DocumentPage<D>;
  readonly isLast: boolean;
}

/**
 * All pages of a read: the first is read at once, and each further page while the caller works on the page before. The
 * caller must not use a page's documents any more once it has asked for the next page.
 */
export function followPages<D>(
  read: (after?: string) => Promise<PageRead<D>>,
): AsyncIterable<DocumentPage<D>> {
  const begin = (after?: string): Promise<PageRead<D>> => {
    const reading = read(after);
    // A caller that ends early never awaits this read.
    reading.catch(() => undefined);
    return reading;
  };
  return goOn(begin(), begin);
}

async function* goOn<D>(
  first: Promise<PageRead<D>>,
  begin: (after?: string) => Promise<PageRead<D>>,
): AsyncGenerator<DocumentPage<D>> {
  let reading: Promise<PageRead<D>> | undefined = first;
  while (reading !== undefined) {
    const { page, isLast }: PageRead<D> = await reading;
    reading = isLast ? undefined : begin(page.next);
    if (page.documents.length > 0) yield page;
    // This is reached only when the caller asks for the next page: a caller that ends early may still use this page.
    page.release();
  }
}

/** All pages of a request, one after the other. */
export async function* fittingPages<D>(
  session: Retrying,
  sizes: PageSizes,
  request: Omit<PageRequest, 'size' | 'after'>,
  read: (request: PageRequest, call: Call) => Promise<Page<D>>,
): AsyncGenerator<readonly D[]> {
  let from = request;
  for (;;) {
    const { page, isLast } = await readFittingPage(session, sizes, (size, call) =>
      read({ ...from, size }, call),
    );
    if (page.documents.length > 0) yield page.documents;
    if (isLast) return;
    from = { ...request, ...(page.next !== undefined && { after: page.next }) };
  }
}

import type { DocumentPage, RawDocument } from '@aosc/engine';

/** How a copy goes about it, by the settings. */
export interface CopyingWay {
  /** for how long */
  readonly seconds: number;
  /** bulks at the same time: of all shards that are copied at once */
  readonly parallel: number;
  /** of a bulk */
  readonly documents: number;
  /** the highest `_seq_no` of a shard */
  readonly maxSeqNo: number;
}

export interface Copied {
  readonly documents: number;
  readonly ms: number;
}

interface Ends {
  readonly readFrom: (seqNo: number, size: number) => Promise<DocumentPage>;
  /** Documents that another page had are refused as conflicts, in about the same time. */
  readonly write: (documents: readonly RawDocument[]) => Promise<unknown>;
  readonly random: () => number;
  readonly nowMs: () => number;
}

/**
 * Copies pages at random places for a while, each read while the one before is written: as fast as a copy is that meets no flow
 * control.
 */
export async function copyAwhile(
  { readFrom, write, random, nowMs }: Ends,
  { seconds, parallel, documents: size, maxSeqNo }: CopyingWay,
): Promise<Copied> {
  const began = nowMs();
  const until = began + seconds * 1_000;
  let documents = 0;
  const read = (): Promise<DocumentPage> => {
    const page = readFrom(Math.floor(random() * (maxSeqNo + 1)), size);
    // The write before it may end the loop.
    page.catch(() => undefined);
    return page;
  };
  const copy = async (): Promise<void> => {
    let next = read();
    while (nowMs() < until) {
      const page = await next;
      next = read();
      if (page.documents.length > 0) await write(page.documents);
      documents += page.documents.length;
      page.release();
    }
    (await next).release();
  };
  await Promise.all(Array.from({ length: parallel }, copy));
  return { documents, ms: nowMs() - began };
}

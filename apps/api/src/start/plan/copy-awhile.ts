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

/** What became of a page. */
export interface Taken {
  /** Those that another page had count, too: they are refused as conflicts, in about the same time. */
  readonly documents: number;
  /** the cluster has more to do than it can */
  readonly isOverloaded: boolean;
}

interface Ends {
  readonly readFrom: (seqNo: number, size: number) => Promise<DocumentPage>;
  readonly write: (documents: readonly RawDocument[]) => Promise<Taken>;
  /** milliseconds */
  readonly rest: (ms: number) => Promise<unknown>;
  readonly random: () => number;
  readonly nowMs: () => number;
}

const restMs = 1_000;

/**
 * Copies pages at random places for a while, each read while the one before is written: as fast as a copy is that meets no flow
 * control. A page that the cluster refuses for its load is not sent again, and the next one comes after a rest.
 */
export async function copyAwhile(
  { readFrom, write, rest, random, nowMs }: Ends,
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
      const taken = page.documents.length > 0 ? await write(page.documents) : undefined;
      documents += taken?.documents ?? 0;
      page.release();
      if (taken?.isOverloaded === true) await rest(Math.max(0, Math.min(restMs, until - nowMs())));
    }
    (await next).release();
  };
  await Promise.all(Array.from({ length: parallel }, copy));
  return { documents, ms: nowMs() - began };
}

import type { Call, DocumentPage, RawDocument } from '@aosc/engine';
import type { Sample } from '@aosc/opensearch';
import type { ApiDependencies } from '../../dependencies';

/** Documents of every kind that a source may hold. */
export interface Spread {
  readonly documents: readonly RawDocument[];
  /** of all that were read */
  readonly meanBytes: number;
}

interface Asked {
  readonly index: string;
  readonly fields: readonly string[];
  /** of a document, as far as it is known */
  readonly meanBytes: number;
  /** of all shards */
  readonly maxSeqNo: number;
  readonly documents: number;
  readonly seconds: number;
  readonly random: () => number;
  readonly nowMs: () => number;
}

/** Bytes of `_source` that one plan holds. */
const maxBytes = 16 * 1024 * 1024;
const maxPage = 100;
const maxFields = 20;
/** Parts of the spread; the rest is found at random. */
const share = { newest: 0.1, oldest: 0.1, largest: 0.1, smallest: 0.1, deepest: 0.1, lacking: 0.2 };

/**
 * Reads for some seconds at random places, and keeps a spread: the newest, the oldest, documents that lack fields of the
 * mapping, and of the random ones the largest, the smallest, the deepest and others. Where chance has passed by too many, the
 * oldest fill it up, so that all documents of a small index are tried.
 */
export async function readSpread(
  { pickDocuments }: Pick<ApiDependencies, 'pickDocuments'>,
  asked: Asked,
  call: Call,
): Promise<Spread> {
  const { index, documents } = asked;
  const page = Math.max(
    1,
    Math.min(maxPage, documents, Math.floor(maxBytes / 8 / Math.max(1, asked.meanBytes))),
  );
  const chosen = new Map<string, RawDocument>();
  const read = { documents: 0, bytes: 0 };
  let held = 0;
  const keep = (found: readonly RawDocument[], most: number): void => {
    for (const document of found.slice(0, Math.ceil(most))) {
      const key = keyOf(document);
      if (chosen.size >= documents || held + document.size > maxBytes || chosen.has(key)) continue;
      held += document.size;
      chosen.set(key, detach(document));
    }
  };
  const pick = async (sample: Omit<Sample, 'size'>): Promise<DocumentPage> => {
    const found = await pickDocuments(index, { size: page, ...sample }, call);
    read.documents += found.documents.length;
    read.bytes += found.bytes;
    return found;
  };
  const pickFrom = (seqNo: number) => pick(fromSeqNo(seqNo));
  keep((await pick({ sort: [{ _seq_no: 'desc' }] })).documents, documents * share.newest);
  keep((await pickFrom(0)).documents, documents * share.oldest);
  const fields = asked.fields.slice(0, maxFields);
  for (const field of fields) {
    const query = { bool: { must_not: [{ exists: { field } }] } };
    keep((await pick({ query })).documents, (documents * share.lacking) / fields.length);
  }
  const pool = await readAtRandom(asked, pickFrom);
  const bySize = pool.toSorted((a, b) => b.size - a.size);
  keep(bySize, documents * share.largest);
  keep(bySize.toReversed(), documents * share.smallest);
  const depths = new Map(pool.map((document) => [document, depthOf(document)]));
  const byDepth = pool.toSorted((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0));
  keep(byDepth, documents * share.deepest);
  keep(pool, documents);
  let from = 0;
  // Twice the pages of all that is wanted: as many documents may be there already.
  for (let round = 2 * Math.ceil(documents / page); round > 0 && chosen.size < documents; round -= 1) {
    const found = await pickFrom(from);
    keep(found.documents, documents);
    if (found.documents.length < page) break;
    // Shards count for themselves, so that other documents may have the last one's number.
    from = Math.max(from + 1, Number(found.next));
  }
  return { documents: [...chosen.values()], meanBytes: read.bytes / Math.max(1, read.documents) };
}

export const fromSeqNo = (seqNo: number): Omit<Sample, 'size'> => ({
  query: { range: { _seq_no: { gte: seqNo } } },
  sort: [{ _seq_no: 'asc' }],
});

async function readAtRandom(
  { seconds, maxSeqNo, random, nowMs }: Asked,
  pickFrom: (seqNo: number) => Promise<DocumentPage>,
): Promise<readonly RawDocument[]> {
  let pool = new Map<string, RawDocument>();
  let held = 0;
  const until = nowMs() + seconds * 1_000;
  do {
    const { documents } = await pickFrom(Math.floor(random() * (maxSeqNo + 1)));
    for (const document of documents) {
      const key = keyOf(document);
      if (held + document.size > maxBytes || pool.has(key)) continue;
      held += document.size;
      pool.set(key, detach(document));
    }
    // A part of the pool makes way for what comes: the largest stay.
    if (held > maxBytes / 2) {
      const largest = [...pool].toSorted(([, a], [, b]) => b.size - a.size);
      pool = new Map(largest.slice(0, Math.ceil(pool.size / 2)));
      held = [...pool.values()].reduce((sum, { size }) => sum + size, 0);
    }
  } while (nowMs() < until);
  return [...pool.values()];
}

const keyOf = ({ idToken, routingToken }: RawDocument): string => `${idToken} ${routingToken ?? ''}`;

/** How deep objects and lists are nested in a document. */
function depthOf({ source }: RawDocument): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < source.length; at += 1) {
    const mark = String.fromCharCode(source[at] ?? 0);
    if (mark === '"') isText = !isText;
    else if (isText) at += mark === '\\' ? 1 : 0;
    else if (mark === '{' || mark === '[') deepest = Math.max(deepest, (depth += 1));
    else if (mark === '}' || mark === ']') depth -= 1;
  }
  return deepest;
}

/** A document of its own: one of a page holds all the page's bytes. */
function detach({ idToken, routingToken, version, source, size }: RawDocument): RawDocument {
  return { idToken, routingToken, version, source: Uint8Array.from(source), size };
}

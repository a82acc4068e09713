import type { RawDocument } from '@aosc/engine';
import { readSpread } from './read-spread';

interface Kept {
  readonly seqNo: number;
  readonly document: RawDocument;
}

const stored = (sources: readonly string[]): readonly Kept[] =>
  sources.map((text, seqNo) => {
    const source = Buffer.from(text);
    const idToken = JSON.stringify(String(seqNo));
    return {
      seqNo,
      document: { idToken, routingToken: undefined, version: '1', source, size: source.length },
    };
  });

/** Answers as the search does, by sequence numbers. */
function pickFrom(index: readonly Kept[]): Parameters<typeof readSpread>[0]['pickDocuments'] {
  return (_, { size, query, sort }) => {
    const { gte = 0 } = (query as { range?: { _seq_no: { gte: number } } } | undefined)?.range?._seq_no ?? {};
    const rest = index.filter(({ seqNo }) => seqNo >= gte);
    const order = JSON.stringify(sort).includes('desc') ? rest.toReversed() : rest;
    const found = order.slice(0, size);
    const documents = found.map(({ document }) => document);
    const next = found.at(-1)?.seqNo.toString();
    return Promise.resolve({ documents, bytes: 0, next, release: () => undefined });
  };
}

async function spread(sources: readonly string[], documents: number, random: number) {
  const asked = {
    index: 'a',
    fields: [],
    meanBytes: 10,
    maxSeqNo: sources.length - 1,
    documents,
    seconds: 0,
    random: () => random,
    nowMs: () => 0,
  };
  const call = { signal: new AbortController().signal };
  const found = await readSpread({ pickDocuments: pickFrom(stored(sources)) }, asked, call);
  return found.documents.map(({ idToken }) => Number(JSON.parse(idToken)));
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `{"n":${100_000 + n}}`);
const all = (count: number) => Array.from({ length: count }, (_, n) => n);

test.each([
  [1, 10],
  [3, 10],
  [3, 3],
  [250, 1_000],
  [1_000, 1_000],
])('of %i documents a spread of up to %i has each, wherever chance begins', async (count, documents) => {
  for (const random of [0, 0.5, 0.99])
    expect((await spread(many(count), documents, random)).toSorted((a, b) => a - b)).toEqual(all(count));
});

test('a spread is as large as it was asked for, and has the newest and the oldest', async () => {
  const found = await spread(many(5_000), 300, 0.5);
  expect(found).toHaveLength(300);
  expect(new Set(found).size).toBe(300);
  expect(found).toEqual(expect.arrayContaining([0, 4_999]));
});

test('of documents at random places the largest, the smallest and the deepest are kept', async () => {
  const sources = many(1_000);
  const odd = [570, 580, 590];
  sources[570] = `{"text":"${'x'.repeat(500)}"}`;
  sources[580] = '{}';
  sources[590] = '{"a":[[{"b\\"]":1}]]}';
  expect(await spread(sources, 100, 0.5)).toEqual(expect.arrayContaining(odd));
  expect(await spread(many(1_000), 100, 0.5)).not.toEqual(expect.arrayContaining(odd));
});

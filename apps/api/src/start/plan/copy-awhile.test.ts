import type { DocumentPage } from '@aosc/engine';
import { copyAwhile, type Taken } from './copy-awhile';

/** A source of numbered pages, and a clock that each write moves on by 100 ms. */
function createEnds({ failAt = Infinity, perPage = Infinity } = {}) {
  const state = { now: 0, read: 0, released: 0, written: 0, mostAtOnce: 0, underWay: 0 };
  const readFrom = (_seqNo: number, size: number): Promise<DocumentPage> => {
    state.read += 1;
    const document = {
      idToken: '"a"',
      routingToken: undefined,
      version: '1',
      source: Buffer.from('{}'),
      size: 2,
    };
    const documents = Array.from({ length: Math.min(size, perPage) }, () => document);
    return Promise.resolve({ documents, bytes: 2, next: '1', release: () => (state.released += 1) });
  };
  const write = async ({ length }: readonly unknown[]): Promise<Taken> => {
    state.mostAtOnce = Math.max(state.mostAtOnce, (state.underWay += 1));
    await Promise.resolve();
    state.underWay -= 1;
    state.now += 100;
    if ((state.written += 1) === failAt) throw new Error('the index is gone');
    return { documents: length, isOverloaded: false };
  };
  const rest = (ms: number) => Promise.resolve((state.now += ms));
  return { state, ends: { readFrom, write, rest, random: () => 0.5, nowMs: () => state.now } };
}

const way = { seconds: 1, parallel: 1, documents: 5, maxSeqNo: 9 };

test('copies until the time is over, and counts what it has written', async () => {
  const { state, ends } = createEnds();
  await expect(copyAwhile(ends, way)).resolves.toEqual({ documents: 50, ms: 1_000 });
  expect(state).toMatchObject({ written: 10, mostAtOnce: 1 });
  expect(state.released).toBe(state.read);
});

test('as many bulks as the copy would send are under way at once', async () => {
  const { state, ends } = createEnds();
  await copyAwhile(ends, { ...way, parallel: 3 });
  expect(state.mostAtOnce).toBe(3);
});

test('an empty page is no bulk', async () => {
  const { state, ends } = createEnds({ perPage: 0 });
  const read = ends.readFrom;
  const readFrom: typeof read = (seqNo, size) => {
    state.now += 100;
    return read(seqNo, size);
  };
  await expect(copyAwhile({ ...ends, readFrom }, way)).resolves.toMatchObject({ documents: 0 });
  expect(state.written).toBe(0);
});

test('a write that fails ends it', async () => {
  const { state, ends } = createEnds({ failAt: 3 });
  await expect(copyAwhile(ends, way)).rejects.toThrow('the index is gone');
  expect(state.written).toBe(3);
});

test('documents that are refused for load do not count, and the next page comes after a rest within the time', async () => {
  const { state, ends } = createEnds();
  const write: typeof ends.write = async (documents) => {
    await ends.write(documents);
    return state.written === 1 ? { documents: 2, isOverloaded: true } : { documents: 0, isOverloaded: true };
  };
  await expect(copyAwhile({ ...ends, write }, { ...way, seconds: 2 })).resolves.toEqual({
    documents: 2,
    ms: 2_000,
  });
  expect(state.written).toBe(2);
});

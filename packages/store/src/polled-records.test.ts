import type { Position, StoredDocument } from './document-index';
import { createPolledRecords } from './polled-records';

const call = { signal: new AbortController().signal };

/** Documents in memory that record what was fetched. */
function createIndex() {
  const documents = new Map<string, StoredDocument>();
  const fetched: string[] = [];
  let writes = 0;
  return {
    fetched,
    write: (id: string, record: string) =>
      documents.set(id, { record, seqNo: (writes += 1), primaryTerm: 1 }),
    forget: (id: string) => documents.delete(id),
    moveTerm: (id: string, record: string) => {
      const before = documents.get(id);
      if (before !== undefined) documents.set(id, { ...before, record, primaryTerm: 2 });
    },
    getPositions: (ids: readonly string[]): Promise<readonly (Position | undefined)[]> =>
      Promise.resolve(ids.map((id) => documents.get(id))),
    getMany: (ids: readonly string[]) => {
      fetched.push(...ids);
      return Promise.resolve(ids.map((id) => documents.get(id)));
    },
  };
}

const start = (maxKept: number) => {
  const index = createIndex();
  const read = createPolledRecords(
    index,
    ({ record, ...position }) => ({ record: String(record), ...position }),
    maxKept,
  );
  const texts = async (...ids: string[]) => (await read(ids, call)).map(({ record }) => record);
  return { index, texts };
};

test('what has not changed is not fetched again, and what has is', async () => {
  const { index, texts } = start(10);
  for (const id of ['a', 'b', 'c']) index.write(id, `${id}1`);
  expect(await texts('a', 'b', 'c')).toEqual(['a1', 'b1', 'c1']);
  index.write('b', 'b2');
  index.moveTerm('c', 'c2');
  expect(await texts('a', 'b', 'c')).toEqual(['a1', 'b2', 'c2']);
  expect(await texts('c', 'a', 'b')).toEqual(['c2', 'a1', 'b2']);
  expect(index.fetched).toEqual(['a', 'b', 'c', 'b', 'c']);
});

test('what is gone is left out, also when it was known', async () => {
  const { index, texts } = start(10);
  index.write('a', 'a1');
  index.write('b', 'b1');
  await texts('a', 'b', 'none');
  index.forget('a');
  expect(await texts('a', 'b', 'none')).toEqual(['b1']);
});

test('a record that changes between both reads comes as it is then, and a deleted record is left out', async () => {
  const { index, texts } = start(10);
  index.write('a', 'a1');
  index.write('b', 'b1');
  const { getMany } = index;
  index.getMany = (ids) => {
    index.write('a', 'a2');
    index.forget('b');
    return getMany(ids);
  };
  expect(await texts('a', 'b')).toEqual(['a2']);
  expect(await texts('a')).toEqual(['a2']);
  expect(index.fetched).toEqual(['a', 'b']);
});

test('no more than so many are kept, the last asked for', async () => {
  const { index, texts } = start(2);
  for (const id of ['a', 'b', 'c']) index.write(id, id);
  await texts('a', 'b');
  await texts('a');
  await texts('c');
  await texts('a', 'c');
  await texts('b');
  expect(index.fetched).toEqual(['a', 'b', 'c', 'b']);
});

import { evaluateState } from '../compare/evaluate-state';
import { WriterModel } from '../model';
import { recordAcknowledgement, recordAppliedEarlier, recordUnknown } from './acknowledgements';
import type { Operation } from './operation';
import type { ShardLookup } from './shard-lookup';

/** Routings that end in the same letter share a shard. */
const shards: ShardLookup = {
  shardOf: (_index, routing) => Promise.resolve(routing.charCodeAt(routing.length - 1)),
};

const operation = (parts: Partial<Operation>): Operation => ({
  purpose: 'insert',
  verb: 'index',
  id: 'k',
  routing: undefined,
  body: '{"n":1}',
  externalVersion: undefined,
  shared: false,
  ...parts,
});
const insert = operation({});
const update = operation({ purpose: 'update', body: '{"n":2}' });
const remove = operation({ purpose: 'delete', verb: 'delete', body: undefined });
const recreate = operation({ purpose: 'recreate', body: '{"n":3}' });

const answer = (result: string, version: string, index = 'old') => ({
  index,
  result,
  version,
  seqNo: 1,
  primaryTerm: 1,
  source: undefined,
});
const record = (
  model: WriterModel,
  op: Operation,
  result: string,
  version: string,
  { maybeApplied = false, index = 'old' } = {},
) => recordAcknowledgement(model, shards, op, answer(result, version, index), maybeApplied);
const found = (version: string, source: string) => ({ version, source: Buffer.from(source) });

test('a history without loss has no contradiction, also into another index', async () => {
  const model = new WriterModel();
  expect(await record(model, insert, 'created', '1')).toBeUndefined();
  expect(await record(model, update, 'updated', '2', { index: 'new' })).toBeUndefined();
  expect(await record(model, remove, 'deleted', '3', { index: 'new' })).toBeUndefined();
  expect(await record(model, recreate, 'created', '4', { index: 'new' })).toBeUndefined();
  expect(model.get('k', undefined)).toMatchObject({ index: 'new', uncertain: false });
});

test.each([
  ['an update that finds its document gone', update, 'created', '1'],
  ['an update that finds an older version', update, 'updated', '7'],
  ['a delete that finds nothing', remove, 'not_found', '1'],
])('%s contradicts what was acknowledged', async (_what, next, result, version) => {
  const model = new WriterModel();
  await record(model, insert, 'created', '9');
  expect(await record(model, next, result, version)).toMatch(/expected/);
});

test('a re-creation that finds its document alive contradicts the delete', async () => {
  const model = new WriterModel();
  await record(model, insert, 'created', '1');
  await record(model, remove, 'deleted', '2');
  expect(await record(model, recreate, 'updated', '2')).toMatch(/expected created/);
});

test('the last acknowledged state is the only one that is right', async () => {
  const model = new WriterModel();
  await record(model, insert, 'created', '1');
  await record(model, update, 'updated', '2');
  const entry = model.get('k', undefined);
  if (entry === undefined) throw new Error('no entry');
  expect(evaluateState(entry, found('2', '{"n":2}'))).toBeUndefined();
  expect(evaluateState(entry, found('2', '{"n":1}'))).toHaveProperty('differentSource');
  expect(evaluateState(entry, found('1', '{"n":2}'))).toHaveProperty('differentVersion');
  expect(evaluateState(entry, undefined)).toHaveProperty('missing');
});

test('after an unknown outcome the state before and the state after are right, and no other', async () => {
  const model = new WriterModel();
  await record(model, insert, 'created', '1');
  recordUnknown(model, update);
  const entry = model.get('k', undefined);
  if (entry === undefined) throw new Error('no entry');
  expect(entry.uncertain).toBe(true);
  expect(evaluateState(entry, found('1', '{"n":1}'))).toBeUndefined();
  expect(evaluateState(entry, found('2', '{"n":2}'))).toBeUndefined();
  expect(evaluateState(entry, found('2', '{"n":1}'))).toBeDefined();
  expect(evaluateState(entry, undefined)).toHaveProperty('missing');
});

test('an acknowledged repetition leaves the version open, not the content', async () => {
  const model = new WriterModel();
  await record(model, insert, 'updated', '2', { maybeApplied: true });
  const entry = model.get('k', undefined);
  if (entry === undefined) throw new Error('no entry');
  expect(evaluateState(entry, found('3', '{"n":1}'))).toBeUndefined();
  expect(evaluateState(entry, found('3', '{"n":2}'))).toHaveProperty('differentSource');
});

test('a conflict on the own external version means that the first attempt was applied', () => {
  const model = new WriterModel();
  recordAppliedEarlier(model, operation({ externalVersion: 9_007_199_254_740_993n }));
  expect(model.get('k', undefined)?.acceptable).toEqual([
    expect.objectContaining({ present: true, version: '9007199254740993' }),
  ]);
});

test('a write under another routing replaces the document in the same shard, and only there', async () => {
  const model = new WriterModel();
  const under = (routing: string): Operation => operation({ routing, shared: true });
  await record(model, under('1-a'), 'created', '1');
  await record(model, under('2-b'), 'created', '1');
  await record(model, under('3-a'), 'updated', '2');
  expect(model.get('k', '1-a')?.acceptable).toEqual([{ present: false }]);
  expect(model.get('k', '2-b')?.acceptable[0]).toMatchObject({ present: true });
  expect(model.get('k', '3-a')?.acceptable[0]).toMatchObject({ present: true, version: '2' });
});

test('a write that OpenSearch may carry out once more has any version, in the index that took it', async () => {
  const model = new WriterModel();
  await recordAcknowledgement(model, shards, insert, answer('created', '1'), false, true);
  const entry = model.get('k', undefined);
  expect(entry).toMatchObject({ index: 'old', uncertain: false });
  if (entry === undefined) throw new Error('it is not in the model');
  expect(evaluateState(entry, found('2', '{"n":1}'))).toBeUndefined();
  expect(evaluateState(entry, found('1', '{"n":2}'))).toHaveProperty('differentSource');
  expect(evaluateState(entry, undefined)).toHaveProperty('missing');
});

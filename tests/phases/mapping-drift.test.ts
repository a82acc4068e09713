import { borrowCluster, type Cluster } from '../races/support/cluster';
import { createPair } from '../races/support/pairs';
import { expectSwapped, expectUndone, guarded } from './support/ends';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const nested = { type: 'object', enabled: false };
const dynamic = { dynamic: true, properties: { title: { type: 'text' }, nested } };
/** The target is meant to differ in this one. */
const targetMappings = { ...dynamic, properties: { title: { type: 'keyword' }, nested } };

async function pairWith(failOnMappingDrift: boolean, convergedRestMs = 0) {
  const harness = await createPair(cluster, {
    ...guarded,
    shards: [1, 2],
    documents: Array.from({ length: 60 }, (_, n) => ({ id: `d${n}`, source: `{"title":"t ${n}"}` })),
    mappings: dynamic,
    targetMappings,
    options: { failOnMappingDrift },
    convergedRestMs,
  });
  await harness.backfill();
  return harness;
}

const mapKeyword = (index: string, field: string) =>
  cluster.send('PUT', `/${index}/_mapping`, { properties: { [field]: { type: 'keyword' } } });

test('fields that source and target come to map in different ways are reported before the swap', async () => {
  const harness = await pairWith(false);
  expect(await harness.record()).not.toHaveProperty('mappingDrift');

  await mapKeyword(harness.source, 'sku');
  await cluster.put(harness.alias, { id: 'with-sku' }, '{"sku":"A 1"}');
  await mapKeyword(harness.source, 'unused');
  await mapKeyword(harness.target, 'late');
  await cluster.send('PUT', `/${harness.source}/_mapping`, { properties: { late: { type: 'long' } } });
  await harness.round();
  const sku = { field: 'sku', source: '{"type":"keyword"}', target: '{"type":"text"}' };
  const late = { field: 'late', source: '{"type":"long"}', target: '{"type":"keyword"}' };
  const { phase } = await harness.runUntil('COMPLETED');
  expect(phase).toBe('COMPLETED');
  const { mappingDrift } = await harness.record();
  expect(mappingDrift?.toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
    late,
    sku,
    { field: 'unused', source: '{"type":"keyword"}' },
  ]);
  await expectSwapped(cluster, harness);
});

test('a field that is mapped in the target by hand before the swap is no drift any more', async () => {
  const harness = await pairWith(true);
  await mapKeyword(harness.source, 'sku');
  await harness.advance();
  await mapKeyword(harness.target, 'sku');
  const { phase } = await harness.runUntil('COMPLETED');
  expect(phase).toBe('COMPLETED');
  expect((await harness.record()).mappingDrift ?? []).toEqual([]);
  await expectSwapped(cluster, harness);
});

test('with fail_on_mapping_drift the migration ends before writers are stopped', async () => {
  const harness = await pairWith(true);
  await mapKeyword(harness.source, 'unused');
  const end = await harness.runUntil('COMPLETED');
  expect(end).toMatchObject({ phase: 'FAILED' });
  expect(end.errorMessage).toContain('[unused] {"type":"keyword"} there, nothing here');
  expect((await harness.record()).writeBlock).toBeUndefined();
  await expectUndone(cluster, harness);
});

test('a field that a document brings right before the writers are stopped is no drift', async () => {
  const harness = await pairWith(true, 10_000);
  let isPut = false;
  const { phase, errorMessage } = await harness.runUntil('COMPLETED', {
    target: {
      state: (real) => ({
        waitForGreen: async (...args) => {
          if (!isPut) await cluster.put(harness.alias, { id: 'fresh' }, '{"fresh":"new"}');
          isPut = true;
          return real.waitForGreen(...args);
        },
      }),
    },
  });
  expect({ phase, errorMessage, isPut }).toEqual({
    phase: 'COMPLETED',
    errorMessage: undefined,
    isPut: true,
  });
  expect((await harness.record()).mappingDrift ?? []).toEqual([]);
  await expectSwapped(cluster, harness);
});

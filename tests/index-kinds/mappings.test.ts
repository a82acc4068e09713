import { loadDocuments } from '@aosc/testkit';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import { once } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, type PairOptions } from '../races/support/pairs';
import { expectCompleted, expectFailed } from './support';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const known = { n: { type: 'long' }, text: { type: 'keyword' } };
const strict = { dynamic: 'strict', properties: known };
const good = Array.from({ length: 60 }, (_, n) => ({ id: `good-${n}`, source: `{"n":${n}}` }));

/** What a target refuses, in OpenSearch's words. */
const refusals: Readonly<
  Record<string, Pick<PairOptions, 'targetMappings' | 'targetSettings'> & { bad: string; reason: RegExp }>
> = {
  'a value of another type': {
    targetMappings: { dynamic: false, properties: known },
    bad: '{"n":"seven"}',
    reason: /failed to parse field \[n\] of type \[long\] \(/,
  },
  'a field that `dynamic: strict` does not know': {
    targetMappings: strict,
    bad: '{"n":1,"new":{"deep":true}}',
    reason: /mapping set to strict, dynamic introduction of \[new\] within \[_doc\] is not allowed/,
  },
  'one field more than the limit': {
    targetMappings: { properties: known },
    targetSettings: { 'index.mapping.total_fields.limit': 3 },
    bad: '{"n":1,"third":1,"fourth":2}',
    reason: /Limit of total fields \[3\] has been exceeded/,
  },
};

/** The id and the reason, and that nothing has been cut over. */
async function expectRefusal(harness: Harness, reason: RegExp): Promise<void> {
  const message = await expectFailed(cluster, harness);
  expect(message).toContain('(1: [bad "one"])');
  expect(message).toMatch(reason);
  const { committed, cutoverContext } = await harness.record();
  expect({ committed, swapped: cutoverContext?.aliasSwapSucceeded ?? false }).toEqual({
    committed: false,
    swapped: false,
  });
}

describe.each(Object.entries(refusals))(
  "a document with %s fails the migration with its id and OpenSearch's reason",
  (_what, { bad, reason, ...pair }) => {
    const create = (): Promise<Harness> =>
      createPair(cluster, { shards: [1, 2], mappings: { dynamic: false }, documents: good, ...pair });
    const writeBad = (harness: Harness) =>
      loadDocuments(cluster.http, harness.alias, [{ id: 'bad "one"', source: bad }]);

    test('in the backfill', async () => {
      const harness = await create();
      await writeBad(harness);
      await expectRefusal(harness, reason);
      expect((await harness.record()).writeBlock).toBeUndefined();
    });

    test('under the write block, which is lifted', async () => {
      const harness = await create();
      const strike = once(async () => {
        await writeBad(harness);
      });
      await harness.runUntil('CATCHING_UP', {
        source: {
          settings: (real) => ({
            blockWrites: async (...args) => {
              await strike();
              return real.blockWrites(...args);
            },
          }),
        },
      });
      await expectRefusal(harness, reason);
      expect((await harness.record()).writeBlock).toMatchObject({ lifted: true });
    });
  },
);

test('a `dynamic: strict` target that knows every field is filled', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    mappings: { dynamic: false },
    targetMappings: strict,
    documents: good,
  });
  await harness.backfill();
  await cluster.removeAll(harness.alias, good.slice(0, 20));
  await loadDocuments(cluster.http, harness.alias, [{ id: 'late', source: '{"text":"x"}' }]);
  await expectCompleted(harness);
});

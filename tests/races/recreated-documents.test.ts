import { UnexpectedAnswer } from '@aosc/testkit';
import { borrowCluster, type Cluster, type DocumentName, putOnceForgotten } from './support/cluster';
import { onCall } from './support/faults';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

/** What the application chooses as the first and as the second life's version; undefined: OpenSearch counts. */
const versions = { internal: undefined, external: { first: 70, second: 3 } } as const;
type Kind = keyof typeof versions;
const kinds: readonly Kind[] = ['internal', 'external'];

const idOf = (letter: string, kind: Kind): string => `${letter}-${kind}`;

/** Writes a document several times, so that its version is far above 1. */
async function writeFirstLife(index: string, letter: string): Promise<void> {
  for (const kind of kinds) {
    const id = idOf(letter, kind);
    const first = versions[kind]?.first;
    if (first !== undefined) await cluster.put(index, { id, version: first }, someSource(id));
    else for (let n = 0; n < 5; n++) await cluster.put(index, { id }, someSource(id));
  }
}

async function removeBoth(index: string, letter: string): Promise<void> {
  await cluster.remove(index, { id: idOf(letter, 'internal') });
  const version = versions.external.first + 1;
  await cluster.remove(index, { id: idOf(letter, 'external'), version });
}

/**
 * Makes both documents again once the source has forgotten the deletes (`index.gc_deletes` has passed): the one with
 * the low external version is refused until then, and it was deleted last.
 */
async function writeSecondLife(index: string, letter: string): Promise<void> {
  const external: DocumentName = { id: idOf(letter, 'external'), version: versions.external.second };
  await putOnceForgotten(cluster, index, external, someSource(external.id));
  const id = idOf(letter, 'internal');
  expect(await cluster.put(index, { id }, someSource(id))).toBe(1);
}

test('a document that is deleted and made again with a lower version is exact in the target', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(100),
    sourceSettings: { 'index.gc_deletes': '1s' },
  });
  const { source } = harness;
  for (const letter of ['during', 'between', 'within']) await writeFirstLife(source, letter);

  // while the backfill reads its snapshot
  const strike = onCall(2, async () => {
    await removeBoth(source, 'during');
    await writeSecondLife(source, 'during');
  });
  await harness.backfill({
    source: {
      snapshots: (real) => ({
        readDocuments: async (...args) => {
          await strike();
          return real.readDocuments(...args);
        },
      }),
    },
  });
  await harness.round();
  await harness.expectExact();

  // deleted in one round, made again in the next
  await removeBoth(source, 'between');
  await harness.round();
  await harness.expectExact();
  await writeSecondLife(source, 'between');
  await harness.round();
  await harness.expectExact();

  // both in one round
  await removeBoth(source, 'within');
  await writeSecondLife(source, 'within');
  await harness.round();
  await harness.expectExact();

  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

/** @returns the status of a write that is late by the version that it bears */
async function writeStale(index: string, document: DocumentName): Promise<number> {
  try {
    await cluster.put(index, document, someSource(document.id));
    return 201;
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    return error.answer.status;
  }
}

test.each([undefined, '10m'])(
  'a delete right after the swap keeps a stale write away, with gc_deletes of %s',
  async (ofTarget) => {
    const ids = Array.from({ length: 10 }, (_, n) => `e${n}`);
    const harness = await createPair(cluster, {
      shards: [1, 2],
      documents: someDocuments(20),
      ...(ofTarget !== undefined && { targetSettings: { 'index.gc_deletes': ofTarget } }),
    });
    const { alias } = harness;
    for (const id of ids) await cluster.put(alias, { id, version: 10 }, someSource(id));
    const stale: number[] = [];
    const end = await harness.runUntil('COMPLETED', {
      aliases: (real) => ({
        async update(actions, call) {
          const update = await real.update(actions, call);
          if (actions.some((action) => 'add' in action && action.add.alias === alias)) {
            for (const id of ids) {
              await cluster.remove(alias, { id, version: 12 });
              // Only then is there nothing but the memory of the delete.
              await cluster.send('POST', `/${harness.target}/_refresh`);
              stale.push(await writeStale(alias, { id, version: 11 }));
            }
          }
          return update;
        },
      }),
    });
    expect(end).toMatchObject({ phase: 'COMPLETED' });
    expect(stale).toEqual(ids.map(() => 409));
  },
);

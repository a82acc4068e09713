import type { MigrationRecord } from '@aosc/contract';
import { ClusterError } from '@aosc/engine';
import { borrowCluster, type Cluster } from './support/cluster';
import { once } from './support/faults';
import type { Harness } from './support/harness';
import { createPair, someDocuments, someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };

async function isBlocked(harness: Harness): Promise<boolean> {
  const source = await cluster.ports.index(harness.source).state.describe(call);
  return source?.settings['index.blocks.write'] === 'true';
}

const slowUpdates = 60;
/** About 20 ms each, with the permit of the primary in hand: painless allows a million rounds of a loop. */
const slowScript =
  'double x = 1; for (int i = 0; i < 900000; i++) { x = Math.sin(x) + i } ctx._source.revision = 7';

/** A bulk that an application has sent before the block and that runs for seconds. */
function writeSlowly(harness: Harness): Promise<unknown> {
  const lines = Array.from({ length: slowUpdates }, (_, n) =>
    [{ update: { _id: `d${n}` } }, { script: { source: slowScript } }].map((line) => JSON.stringify(line)),
  );
  return cluster.http.send({
    method: 'POST',
    path: `/${harness.alias}/_bulk`,
    contentType: 'application/x-ndjson',
    body: `${lines.flat().join('\n')}\n`,
  });
}

async function waitForSlowWrites(harness: Harness): Promise<void> {
  while ((await cluster.ports.index(harness.source).tasks.listWrites(call)).running.length === 0);
}

/** A scheduler that dies when its block is asked for and the writes of before are not drained yet. */
async function startDying() {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(300) });
  const writes: Promise<unknown>[] = [];
  const dying = harness.runUntil('COMPLETED', {
    source: {
      settings: (real) => ({
        async blockWrites(options) {
          writes.push(writeSlowly(harness));
          await waitForSlowWrites(harness);
          const death = new AbortController();
          const blocking = real.blockWrites({ ...options, signal: death.signal });
          blocking.catch(() => undefined);
          while (!(await isBlocked(harness)));
          death.abort();
          return blocking;
        },
      }),
    },
  });
  await expect(dying).rejects.toThrow('given up by the caller');
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('draining');
  expect(await harness.record()).toMatchObject({ phase: 'CUTTING_OVER', writeBlock: { usersOwn: false } });
  return { harness, writes };
}

test('a block whose scheduler died before the writes were drained is waited for', async () => {
  const { harness, writes } = await startDying();
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  await Promise.all(writes);
  await harness.expectExact();
});

test('a block that still drains is lifted for good by a cancel', async () => {
  const { harness, writes } = await startDying();
  await harness.cancel();
  expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
  await Promise.all(writes);
  expect(await cluster.ports.index(harness.source).settings.readWriteBlock(call)).toBe('none');
  await cluster.put(harness.alias, { id: 'after' }, someSource('after'));
});

test('a block that is there already proves nothing: the writes of before are waited for', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(300) });
  const writes: Promise<unknown>[] = [];
  const answers: boolean[] = [];
  const running: number[] = [];
  const end = await harness.runUntil('COMPLETED', {
    source: {
      settings: (real) => ({
        async blockWrites(options) {
          if (writes.length === 0) {
            // only by the setting, which waits for no write
            writes.push(writeSlowly(harness));
            await waitForSlowWrites(harness);
            await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.blocks.write': true });
          }
          const answer = await real.blockWrites(options);
          answers.push(answer.confirmed);
          return answer;
        },
      }),
      tasks: (real) => ({
        async listWrites(...args) {
          const tasks = await real.listWrites(...args);
          running.push(tasks.running.length);
          return tasks;
        },
      }),
    },
  });
  expect(answers).toEqual(running.map(() => false));
  expect(running[0]).toBeGreaterThan(0);
  expect(running.at(-1)).toBe(0);
  expect(end).toMatchObject({ phase: 'COMPLETED' });
  await Promise.all(writes);
  await harness.expectExact();
});

test('a block that a node may not have applied yet does not hold: the next change that all have applied proves it', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(60) });
  const answers: string[] = [];
  const end = await harness.runUntil('COMPLETED', {
    source: {
      settings: (real) => ({
        async blockWrites(...args) {
          await real.blockWrites(...args);
          return { confirmed: false };
        },
      }),
    },
    aliases: (real) => ({
      async update(...args) {
        const answer = await real.update(...args);
        if (!(await isBlocked(harness)) || (await harness.record()).phase !== 'CUTTING_OVER') return answer;
        const told = answers.length === 0 ? ({ type: 'unacknowledged' } as const) : answer;
        answers.push(told.type);
        return told;
      },
    }),
  });
  expect(answers).toEqual(['unacknowledged', 'acknowledged']);
  expect(end).toMatchObject({ phase: 'COMPLETED' });
  await harness.expectExact();
});

describe("a user's own write block stays", () => {
  async function startBlocked(): Promise<Harness> {
    const harness = await createPair(cluster, {
      shards: [1, 2],
      documents: someDocuments(60),
      options: { removeSourceWriteBlockOnSuccess: true },
    });
    await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.blocks.write': true });
    return harness;
  }

  test('after COMPLETED, although the block is to be removed', async () => {
    const harness = await startBlocked();
    const end = await harness.runUntil('COMPLETED');
    expect(end).toMatchObject({ phase: 'COMPLETED', writeBlock: { usersOwn: true } });
    expect(await isBlocked(harness)).toBe(true);
    await harness.expectExact();
  });

  test('after CANCELLED, from under the block', async () => {
    const harness = await startBlocked();
    await harness.runUntil('CATCHING_UP');
    await harness.cancel();
    expect(await harness.runUntil('CANCELLED')).toMatchObject({ phase: 'CANCELLED' });
    expect(await isBlocked(harness)).toBe(true);
  });

  test('until the user lifts it: before it is confirmed one of ours takes its place, and goes', async () => {
    const harness = await startBlocked();
    const asked: MigrationRecord['writeBlock'][] = [];
    const lift = once(async () => {
      await cluster.send('PUT', `/${harness.source}/_settings`, { 'index.blocks.write': null });
      await cluster.put(harness.alias, { id: 'between' }, someSource('between'));
    });
    const end = await harness.runUntil('COMPLETED', {
      source: {
        settings: (real) => ({
          async blockWrites(...args) {
            asked.push((await harness.record()).writeBlock);
            return real.blockWrites(...args);
          },
        }),
        tasks: (real) => ({
          async listWrites(...args) {
            await lift();
            const { running, answered } = await real.listWrites(...args);
            return { running: [...running, 'a write of before'].slice(asked.length), answered };
          },
        }),
      },
    });
    expect(asked).toEqual([expect.objectContaining({ usersOwn: false, confirmed: false })]);
    expect(end).toMatchObject({ phase: 'COMPLETED', writeBlock: { usersOwn: false, lifted: true } });
    expect(await isBlocked(harness)).toBe(false);
    await harness.expectExact();
  });
});

test('our own block is removed after COMPLETED when that is wanted', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 2],
    documents: someDocuments(60),
    options: { removeSourceWriteBlockOnSuccess: true },
  });
  expect(await harness.runUntil('COMPLETED')).toMatchObject({ phase: 'COMPLETED' });
  expect(await isBlocked(harness)).toBe(false);
});

test('a block that lands after the migration was cancelled is lifted by the guard', async () => {
  const harness = await createPair(cluster, { shards: [1, 2], documents: someDocuments(60) });
  const dying = harness.runUntil('COMPLETED', {
    source: {
      settings: () => ({
        blockWrites: () => Promise.reject(new ClusterError('transient', 'the block is on its way')),
      }),
    },
  });
  await expect(dying).rejects.toThrow('the block is on its way');
  await harness.cancel();
  await harness.advance(undefined, { guardMs: 600_000 });
  expect(await harness.record()).toMatchObject({ phase: 'CANCELLED' });

  await cluster.ports.index(harness.source).settings.blockWrites(call);
  expect(await isBlocked(harness)).toBe(true);
  await harness.advance(undefined, { guardMs: 600_000 });
  expect(harness.events).toContain('write_block_late');
  expect(await isBlocked(harness)).toBe(false);
});

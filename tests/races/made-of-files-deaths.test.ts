import { madeAlias } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { createTargetIndex } from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import type { Faults } from './support/faults';
import {
  allocate,
  blockOf,
  complete,
  expectUntouched,
  makeTarget,
  pairByFiles,
  prepareTarget,
  targetOf,
} from './support/files';
import { someSource } from './support/pairs';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const call = { signal: new AbortController().signal };
afterEach(() => allocate(cluster, 'all'));

describe('a resize', () => {
  test('whose answer is lost is not sent again', async () => {
    const harness = await pairByFiles(cluster);
    let sent = 0;
    const losing: Faults = {
      target: {
        files: (real) => ({
          resize: async (...args) => {
            sent += 1;
            await real.resize(...args);
            throw new ClusterError('transient', 'the answer was lost');
          },
        }),
      },
    };
    await expect(makeTarget(cluster, harness, losing)).rejects.toThrow('the answer was lost');
    expect(await blockOf(cluster, harness)).toBe('none');
    await makeTarget(cluster, harness, losing);
    await allocate(cluster, 'all');
    expect(sent).toBe(1);
    await complete(harness);
  });

  test('that was not carried out is sent again', async () => {
    const harness = await pairByFiles(cluster);
    const refusing: Faults = {
      target: {
        files: () => ({ resize: () => Promise.reject(new ClusterError('transient', 'no manager')) }),
      },
    };
    await expect(makeTarget(cluster, harness, refusing)).rejects.toThrow('no manager');
    expect(await blockOf(cluster, harness)).toBe('none');
    await cluster.put(harness.source, { id: 'meanwhile' }, someSource('meanwhile'));
    await allocate(cluster, 'all');
    await complete(harness);
  });

  test.each(['goes on', 'finds it overdue'])(
    'whose scheduler dies under the block: the next one %s',
    async (what) => {
      const harness = await pairByFiles(cluster);
      const dying: Faults = {
        source: {
          settings: (real) => ({
            put: async (...args) => {
              await real.put(...args);
              throw new Error('killed');
            },
          }),
        },
      };
      await expect(makeTarget(cluster, harness, dying)).rejects.toThrow('killed');
      expect(await blockOf(cluster, harness)).toBe('set');
      await allocate(cluster, 'all');
      if (what === 'goes on') {
        await complete(harness);
        return;
      }
      harness.passTime(600_000);
      const { phase, errorMessage } = await harness.runUntil('FAILED');
      expect(phase).toBe('FAILED');
      expect(errorMessage).toContain('lasted longer');
      expect(await targetOf(cluster, harness)).toBeUndefined();
      await expectUntouched(cluster, harness);
    },
  );

  test('whose shards do not start fails after its time, and takes its target away', async () => {
    const harness = await pairByFiles(cluster, { options: { targetReadyTimeoutSeconds: 60 } });
    await makeTarget(cluster, harness);
    harness.passTime(61_000);
    await expect(harness.prepare()).rejects.toThrow(/^FAILED .* 0 of 4 primaries of target index/);
    expect(await targetOf(cluster, harness)).toBeUndefined();
    await expectUntouched(cluster, harness);
  });

  test('that the cluster refuses fails the migration, and applications write on', async () => {
    const harness = await pairByFiles(cluster, { shards: [2, 4] });
    const other = { 'index.codec': 'no such codec' };
    const spoiling: Faults = {
      target: {
        files: (real) => ({
          resize: (request, each) =>
            real.resize({ ...request, settings: { ...request.settings, ...other } }, each),
        }),
      },
    };
    await harness.advance(spoiling);
    const { phase, errorMessage } = await harness.runUntil('FAILED');
    expect(phase).toBe('FAILED');
    expect(errorMessage).toContain('the cluster refuses to make target index');
    expect(await targetOf(cluster, harness)).toBeUndefined();
    await expectUntouched(cluster, harness);
  });

  test('whose name another client has taken since the start fails it, and that index stays', async () => {
    const harness = await pairByFiles(cluster);
    await createTargetIndex(cluster.http, { name: harness.target, shards: 4 });
    const { phase, errorMessage } = await harness.runUntil('FAILED');
    expect(phase).toBe('FAILED');
    expect(errorMessage).toContain('created by another client');
    expect(await targetOf(cluster, harness)).toBeDefined();
    await expectUntouched(cluster, harness);
  });
});

describe('a migration that is given up', () => {
  test('before its target is made leaves none', async () => {
    const harness = await pairByFiles(cluster);
    await harness.cancel();
    expect((await harness.runUntil('CANCELLED')).phase).toBe('CANCELLED');
    expect(await targetOf(cluster, harness)).toBeUndefined();
    await expectUntouched(cluster, harness);
  });

  test.each(['made', 'prepared', 'copied'])('with its target %s takes it away', async (moment) => {
    const harness = await pairByFiles(cluster);
    await makeTarget(cluster, harness);
    if (moment !== 'made') {
      await prepareTarget(cluster, harness);
    }
    if (moment === 'copied') await harness.backfill();
    await harness.cancel();
    expect((await harness.runUntil('CANCELLED')).phase).toBe('CANCELLED');
    expect(await targetOf(cluster, harness)).toBeUndefined();
    await expectUntouched(cluster, harness);
  });

  test('leaves a target that another client uses by an alias, and says so', async () => {
    const harness = await pairByFiles(cluster, { timing: { guardMs: 600_000 } });
    await makeTarget(cluster, harness);
    await allocate(cluster, 'all');
    const used = cluster.name('used');
    await cluster.send('POST', '/_aliases', { actions: [{ add: { index: harness.target, alias: used } }] });
    await harness.cancel();
    const { errorMessage } = await harness.runUntil('CANCELLED');
    expect(errorMessage).toContain(`it has got the alias [${used}]`);
    expect((await targetOf(cluster, harness))?.aliases.has(used)).toBe(true);
    await expectUntouched(cluster, harness);

    // The guard looks again: the note stays as long as the target does, and no longer.
    for (let look = 0; look < 3; look++) await harness.advance();
    expect((await harness.record()).notRestored).toContain(used);
    await cluster.send('POST', '/_aliases', {
      actions: [{ remove: { index: harness.target, alias: used } }],
    });
    await harness.advance();
    expect(await targetOf(cluster, harness)).toBeUndefined();
    expect(await harness.record()).not.toHaveProperty('notRestored');
  });

  test('takes a target away that lands after its end', async () => {
    const harness = await pairByFiles(cluster, { timing: { guardMs: 600_000 } });
    const { key, source, target } = harness;
    await harness.cancel();
    await harness.runUntil('CANCELLED');
    await cluster.ports.index(source).settings.blockWrites(call);
    const settings = { 'index.number_of_shards': 4, 'index.blocks.write': null };
    await cluster.ports
      .index(target)
      .files.resize({ source, kind: 'split', settings, alias: madeAlias(key) }, call);
    await cluster.ports.index(source).settings.put({ 'index.blocks.write': null }, call);
    await harness.advance();
    expect(await targetOf(cluster, harness)).toBeUndefined();
  });
});

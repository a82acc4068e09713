import { ClusterError } from '../../ports/cluster-error';
import { ClearBench, createMigration, key, snapshot } from './__tests__/clear-bench';
import { clearMigration, decideClear } from './clear';

const writeBlock = { requestedAtMillis: 2000, usersOwn: false, confirmed: true, lifted: false };
const targetOriginals = { 'index.final_pipeline': 'own', 'index.refresh_interval': null };
const blocked = { phase: 'CATCHING_UP', writeBlock, targetOriginals } as const;
const working = { phase: 'CATCHING_UP', snapshot } as const;

describe('what a clearing writes first', () => {
  test.each(['ACTIVE', 'PREPARING_TARGET', 'CUTTING_OVER', 'CATCHING_UP', 'COMPLETING'] as const)(
    '%s -> CANCELLING with the note',
    (phase) => {
      const marked = decideClear(createMigration({ phase }), { undo: true }, 9000);
      expect(marked).toMatchObject({
        phase: 'CANCELLING',
        clearings: [{ undone: true }],
        lastUpdatedMillis: 9000,
      });
    },
  );

  test('COMPLETING with the swap under way: the token decides', () => {
    const record = createMigration({ phase: 'COMPLETING', commitRequested: true });
    expect(decideClear(record, { undo: true }, 9000)).toMatchObject({ phase: 'CANCELLING' });
  });

  test('FAILING stays, and so does its reason', () => {
    const record = createMigration({ phase: 'FAILING', reason: 'counts differ' });
    const marked = decideClear(record, { undo: true }, 9000);
    expect(marked).toMatchObject({
      phase: 'FAILING',
      reason: 'counts differ',
      clearings: [{ undone: true }],
    });
  });

  test('undo=false takes out of the record what would be undone, and says so', () => {
    const marked = decideClear(createMigration(blocked), { undo: false }, 9000);
    expect(marked).not.toHaveProperty('writeBlock');
    expect(marked).not.toHaveProperty('targetOriginals');
    expect(marked?.clearings).toEqual([{ undone: false }]);
  });

  test.each([
    ['an ended migration', { phase: 'FAILED' }],
    ['one that can only complete', { phase: 'COMPLETING', committed: true }],
    ['one that is marked', { phase: 'CANCELLING', clearings: [{ undone: true }] }],
  ] as const)('nothing for %s', (_, parts) => {
    expect(decideClear(createMigration(parts), { undo: true }, 9000)).toBeUndefined();
  });
});

describe('a clearing', () => {
  test('under the write block: token, block, fences, bulks, snapshots, settings, claims', async () => {
    const bench = new ClearBench(blocked, working);
    bench.bulks.push('late');
    const ended = await clearMigration(bench.context, key, { tryClose: true, undo: true });
    expect(bench.done).toEqual([
      'removed aosc-token',
      'books {"index.blocks.write":null}',
      'removed aosc-fence-0-1',
      'closed pit',
      'books2 {"index.final_pipeline":"own","index.refresh_interval":null}',
      'claims released',
      'claims released',
    ]);
    expect(bench.bulks).toEqual([]);
    expect(ended).toMatchObject({ phase: 'CANCELLED', tokenTaken: true, clearings: [{ undone: true }] });
    expect(ended?.writeBlock?.lifted).toBe(true);
    expect(bench.ended).toEqual(['CANCELLED']);
    expect(bench.shardRecord).toMatchObject({ phase: 'CANCELLED', closingPitIds: [], writer: { epoch: 2 } });
  });

  test('undo=false: the token all the same, and no setting', async () => {
    const bench = new ClearBench(blocked, working);
    await clearMigration(bench.context, key, { tryClose: true, undo: false });
    expect(bench.done[0]).toBe('removed aosc-token');
    expect(bench.done.filter((text) => text.startsWith('books'))).toEqual([]);
    expect(bench.aliasNames).toEqual([]);
    expect(bench.record.phase).toBe('CANCELLED');
  });

  test('try_close=false: ended without waiting for bulks; the snapshot stays listed', async () => {
    const bench = new ClearBench(blocked, working);
    bench.bulks.push('stuck');
    await clearMigration(bench.context, key, { tryClose: false, undo: true });
    expect(bench.done.slice(0, 2)).toEqual(['removed aosc-token', 'books {"index.blocks.write":null}']);
    expect(bench.bulks).toEqual(['stuck']);
    expect(bench.record).toMatchObject({ phase: 'CANCELLED', clearings: [{ undone: true }] });
    expect(bench.shardRecord).toMatchObject({ phase: 'CANCELLED', closingPitIds: ['pit'] });
    expect(bench.done.at(-1)).toBe('claims released');
    expect(bench.ended).toEqual(['CANCELLED']);
  });

  test.each([true, false])(
    'after a swap nobody has written down yet (try_close=%s): completed',
    async (tryClose) => {
      const parts = { ...blocked, phase: 'COMPLETING', commitRequested: true } as const;
      const bench = new ClearBench(parts, { phase: 'COMPLETING', closingPitIds: ['pit'] }, true);
      const ended = await clearMigration(bench.context, key, { tryClose, undo: true });
      expect(ended).toMatchObject({ phase: 'COMPLETED', committed: true, tokenTaken: false });
      expect(bench.ended).toEqual(['COMPLETED']);
      expect(bench.done).not.toContain('books {"index.blocks.write":null}');
      expect(bench.shardRecord).toMatchObject({ phase: 'COMPLETED', closingPitIds: [] });
      expect(bench.done).toContain('claims released');
    },
  );

  test('what the cluster refuses leaves it on its way to the end, blocking nobody', async () => {
    const bench = new ClearBench(blocked, working);
    bench.closeFails = new ClusterError('transient', 'no answer');
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('no answer');
    expect(bench.record).toMatchObject({ phase: 'CANCELLING', writeBlock: { lifted: true } });
    expect(bench.done).not.toContain('claims released');
    bench.closeFails = undefined;
    await clearMigration(bench.context, key, { tryClose: true, undo: true });
    expect(bench.record.phase).toBe('CANCELLED');
  });

  test('a target that takes no changes, and no swap was ever asked for: applications do not wait for it', async () => {
    const bench = new ClearBench(blocked, working);
    bench.aliasesFail = new ClusterError('blocked', 'the disk is full');
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('the disk is full');
    expect(bench.done).toEqual(['books {"index.blocks.write":null}']);
    expect(bench.record).toMatchObject({
      phase: 'CANCELLING',
      tokenTaken: false,
      writeBlock: { lifted: true },
      waits: [{ reason: 'refused', text: expect.stringContaining('the disk is full') as string }],
    });
    bench.aliasesFail = undefined;
    await clearMigration(bench.context, key, { tryClose: true, undo: true });
    expect(bench.record).toMatchObject({ phase: 'CANCELLED', tokenTaken: true });
  });

  test.each([
    ['the outcome is unknown', 'transient', false],
    ['a swap may still land', 'blocked', true],
  ] as const)('the block stays while the token is not taken, and %s', async (_, kind, commitRequested) => {
    const bench = new ClearBench({ ...blocked, phase: 'COMPLETING', commitRequested }, working);
    bench.aliasesFail = new ClusterError(kind, 'refused');
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('refused');
    expect(bench.done).toEqual([]);
    expect(bench.record.writeBlock?.lifted).toBe(false);
  });

  test('a block that lands after it was lifted is lifted again, whatever the rest waits for', async () => {
    const lifted = {
      phase: 'CANCELLING',
      tokenTaken: true,
      writeBlock: { ...writeBlock, lifted: true },
    } as const;
    const bench = new ClearBench(lifted, working);
    bench.closeFails = new ClusterError('transient', 'no answer');
    bench.blockStates.push('set');
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('no answer');
    expect(bench.done[0]).toBe('books {"index.blocks.write":null}');
  });

  test('who wakes up too late does not ask for the block again', async () => {
    const bench = new ClearBench(blocked, working);
    bench.blockStates.push('draining');
    bench.onBlockRead = () => bench.end();
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('out of time');
    expect(bench.done).toEqual(['removed aosc-token', 'books {"index.blocks.write":null}']);
  });

  const handedBack = { epoch: 1, fenceReady: true, heartbeatAtMillis: 0, nodes: ['gone/1', 'node/run'] };

  test('a shard that was handed back quiet is in no doubt, in a later pass of the abort either', async () => {
    const writer = { ...handedBack, quietAtMillis: 0 };
    const bench = new ClearBench({}, { ...working, writer });
    bench.closeFails = new ClusterError('transient', 'no answer');
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('no answer');
    expect(bench.shardRecord.writer.nodes).toEqual([]);
  });

  test('a shard whose bulks may come once more is in doubt, although it was handed back', async () => {
    const bench = new ClearBench({}, { ...working, writer: handedBack });
    const clearing = clearMigration(bench.context, key, { tryClose: true, undo: true });
    await expect(clearing).rejects.toThrow('out of time');
    expect(bench.shardRecord.writer.nodes).toEqual(handedBack.nodes);
  });

  test('of an ended migration gives its claims back and changes nothing else', async () => {
    const bench = new ClearBench({ phase: 'CANCELLED', tokenTaken: true, writeBlock });
    const before = bench.record;
    await clearMigration(bench.context, key, { tryClose: true, undo: true });
    expect(bench.done).toEqual(['claims released', 'removed aosc-fence-0-1', 'removed aosc-token']);
    expect(bench.record).toBe(before);
  });
});

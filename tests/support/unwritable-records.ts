import type { ServiceProcess } from '@aosc/local-stack';
import { callJson, waitForPhase } from '@aosc/testkit';
import { type Environment, until } from './environment';
import { expectKept } from './expectations';
import { heldCutover, holdInCatchingUp } from './held-cutover';
import { removeIndices, runMigration } from './scenario';
import { readLog } from './service-log';

export const quickBlocks = { AOSC_REQUEST_TIMEOUT_MS: '10000', AOSC_WRITE_BLOCK_MAX_MS: '30000' } as const;

/**
 * @param title with `$what` for what is wrong with the records
 * @param prefix of the names of the indices
 */
export function testUnwritableRecords(title: string, running: () => Environment, prefix: string): void {
  const send = (method: 'POST' | 'PUT', path: string, body?: object) =>
    callJson(running().http, (answer) => answer, method, path, body);
  const healthOfRecords = '/_cluster/health/.aosc-migrations?wait_for_status=yellow&timeout=30s';
  const blockRecords = (value: boolean | null) =>
    send('PUT', '/.aosc-migrations/_settings', { 'index.blocks.write': value });

  function scheduler(): ServiceProcess {
    const found = running().service.schedulers.find((process) => process.isRunning());
    if (found === undefined) throw new Error('no scheduler runs');
    return found;
  }

  test.each([
    {
      what: 'can not be written',
      name: `${prefix}-blocked`,
      lose: () => blockRecords(true),
      giveBack: () => blockRecords(null),
    },
    {
      what: 'can not even be read',
      name: `${prefix}-closed`,
      lose: () => send('POST', '/.aosc-migrations/_close'),
      giveBack: async () => {
        await send('POST', '/.aosc-migrations/_open?wait_for_active_shards=1');
        await callJson(running().http, (answer) => answer, 'GET', healthOfRecords);
      },
    },
  ])(title, async ({ name, lose, giveBack }) => {
    const scenario = { ...heldCutover, name, documents: 500 };
    const result = await runMigration(running(), scenario, async (migration) => {
      const wake = await holdInCatchingUp(running(), migration);
      // It reads the records, too.
      await migration.watch.stop();
      await lose();
      const lostAt = Date.now();
      const ends = ['migration_failing', 'migration_failed', 'phase_transition_coordinator'];
      const readEnds = async () =>
        (await Promise.all(ends.map((event) => readLog(scheduler(), migration.id, event)))).flat();
      const before = (await readEnds()).length;
      try {
        await until('writes that flow again', () => migration.acknowledgedAt.some((at) => at > lostAt));
        expect(await readEnds()).toHaveLength(before);
        expect(await readLog(scheduler(), migration.id, 'write_block_unwritten')).toHaveLength(1);
      } finally {
        await giveBack();
      }
      const status = await waitForPhase(running().apiUrl, migration.source, ['FAILED']);
      expect(status.error_message).toContain('AOSC_WRITE_BLOCK_MAX_MS');
      expect(await readLog(scheduler(), migration.id, 'migration_failing')).toHaveLength(1);
      wake();
    });
    expectKept(result);
    await removeIndices(running(), result.migration);
    await running().restore(1);
  });
}

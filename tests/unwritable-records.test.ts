import type { ServiceProcess } from '@aosc/local-stack';
import { callJson, waitForPhase } from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectKept } from './support/expectations';
import { heldCutover, holdInCatchingUp } from './support/held-cutover';
import { removeIndices, runMigration } from './support/scenario';
import { readLog } from './support/service-log';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    env: {
      AOSC_REQUEST_TIMEOUT_MS: '10000',
      AOSC_WRITE_BLOCK_MAX_MS: '30000',
    },
  });
});
afterAll(() => environment.stop());

const send = (method: 'POST' | 'PUT', path: string, body?: object) =>
  callJson(environment.http, (answer) => answer, method, path, body);
const healthOfRecords = '/_cluster/health/.aosc-migrations?wait_for_status=yellow&timeout=30s';
const blockRecords = (value: boolean | null) =>
  send('PUT', '/.aosc-migrations/_settings', { 'index.blocks.write': value });

function scheduler(): ServiceProcess {
  const running = environment.service.schedulers.find((process) => process.isRunning());
  if (running === undefined) throw new Error('no scheduler runs');
  return running;
}

test.each([
  {
    what: 'can not be written',
    name: 'records-blocked',
    lose: () => blockRecords(true),
    giveBack: () => blockRecords(null),
  },
  {
    what: 'can not even be read',
    name: 'records-closed',
    lose: () => send('POST', '/.aosc-migrations/_close'),
    giveBack: async () => {
      await send('POST', '/.aosc-migrations/_open?wait_for_active_shards=1');
      await callJson(environment.http, (answer) => answer, 'GET', healthOfRecords);
    },
  },
])(
  'under the write block the records $what: it is lifted in time, and nothing is said to be done that is not',
  async ({ name, lose, giveBack }) => {
    const scenario = { ...heldCutover, name, documents: 500 };
    const result = await runMigration(environment, scenario, async (migration) => {
      const wake = await holdInCatchingUp(environment, migration);
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
      const status = await waitForPhase(environment.apiUrl, migration.source, ['FAILED']);
      expect(status.error_message).toContain('AOSC_WRITE_BLOCK_MAX_MS');
      expect(await readLog(scheduler(), migration.id, 'migration_failing')).toHaveLength(1);
      wake();
    });
    expectKept(result);
    await removeIndices(environment, result.migration);
    await environment.restore(1);
  },
);

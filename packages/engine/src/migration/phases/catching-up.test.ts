import { newShardRecord } from '@aosc/domain';
import { ClearBench, coordinatorOf, key } from '../runner/__tests__/clear-bench';
import { bindIndices, type MigrationView } from '../step/context';
import { catchingUp } from './catching-up';

const maxPauseMs = 20_000;

/** One look while a last round is still missing. */
async function look(usersOwn: boolean, blockedMs: number) {
  const bench = new ClearBench({ phase: 'CATCHING_UP' });
  const now = bench.context.clock.now();
  const writeBlock = { requestedAtMillis: now - blockedMs, usersOwn, confirmed: true, lifted: false };
  const record = { ...bench.record, phase: 'CATCHING_UP' as const, writeBlock };
  const stored = { record, seqNo: 0, primaryTerm: 1 };
  const shard = { ...stored, record: { ...newShardRecord(key, 0, 1000), phase: 'CONVERGED' as const } };
  const coordinator = coordinatorOf(bench, {
    clock: { ...bench.context.clock, now: () => now },
    cutover: () => ({ holdWriters: false, maxHoldMs: 0, maxPauseMs }),
  });
  const context = bindIndices(
    { ...coordinator, jobs: { ...coordinator.jobs, ensureShardJobs: () => Promise.resolve() } },
    record,
  );
  const view: MigrationView<'CATCHING_UP'> = { stored, record, shards: [shard] };
  return catchingUp(context, view);
}

test('a last round under the block of the service is looked at again when its pause is over', async () => {
  expect(await look(false, maxPauseMs - 5000)).toEqual({ type: 'waiting', wakeInMs: 5000 });
  expect(await look(false, maxPauseMs + 1)).toMatchObject({
    record: { undoing: expect.anything() as unknown },
  });
});

test("under the user's own block no pause runs out: the looks come no faster", async () => {
  expect(await look(true, 1000)).toEqual({ type: 'waiting', wakeInMs: 2000 });
  expect(await look(true, maxPauseMs + 1)).toEqual({ type: 'waiting' });
});

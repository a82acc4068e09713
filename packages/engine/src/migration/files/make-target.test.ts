import type { Wait } from '@aosc/contract';
import { ClearBench, coordinatorOf } from '../runner/__tests__/clear-bench';
import { bindIndices, type MigrationView } from '../step/context';
import { isWithoutTarget, makeTarget } from './make-target';

const failed: Wait = { reason: 'cluster', sinceMillis: 1, text: 'ACTIVE waits: no answer' };

test.each([
  ['resizes that failed', [failed], /was not made of the files .* 60000 ms .*no answer/],
  ['a block that stayed', [], /^the write block on \[books\] lasted longer than 60000 ms/],
] as const)('when the time for the block is over the reason names %s', async (_, waits, reason) => {
  const bench = new ClearBench({
    phase: 'ACTIVE',
    targetUuid: '',
    files: { settings: {}, originals: {} },
    waits,
    writeBlock: { requestedAtMillis: -100_000, usersOwn: false, confirmed: false, lifted: false },
  });
  const { record } = bench;
  if (!isActive(record) || !isWithoutTarget(record)) throw new Error('the record has a target');
  const result = await makeTarget(bindIndices(coordinatorOf(bench, {}), record), record);
  expect(result).toMatchObject({
    record: { phase: 'FAILING', reason: expect.stringMatching(reason) as unknown },
  });
});

const isActive = (record: MigrationView['record']): record is MigrationView<'ACTIVE'>['record'] =>
  record.phase === 'ACTIVE';

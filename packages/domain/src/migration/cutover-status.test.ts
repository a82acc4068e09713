import {
  type MigrationPhase,
  type MigrationRecord,
  recordSchemaVersion,
  type ShardRecord,
} from '@aosc/contract';
import { describeCutover } from './cutover-status';

/** Only what is looked at. */
const record = (phase: MigrationPhase, parts: Partial<MigrationRecord> = {}): MigrationRecord =>
  ({
    schemaVersion: recordSchemaVersion,
    phase,
    committed: false,
    options: {},
    transitionHistory: [],
    ...parts,
  }) as MigrationRecord;
const manual = { options: { cutover: 'manual' } } as Partial<MigrationRecord>;

test.each([
  ['ACTIVE', {}, 'converging'],
  ['ACTIVE', manual, 'converging'],
  ['PREPARING_TARGET', {}, 'converging'],
  ['PREPARING_TARGET', manual, 'postponed'],
  ['CUTTING_OVER', {}, 'attempting'],
  ['CATCHING_UP', manual, 'attempting'],
  ['COMPLETING', {}, 'attempting'],
  ['COMPLETING', { committed: true }, 'done'],
  ['COMPLETED', { committed: true }, 'done'],
  // The commit was first, and the abort has only found that out.
  ['FAILING', { committed: true }, 'done'],
  ['FAILING', {}, undefined],
  ['CANCELLING', manual, undefined],
  ['CANCELLED', {}, undefined],
  ['FAILED', {}, undefined],
] as const)('%s %j -> %s', (phase, parts, state) => {
  expect(describeCutover(record(phase, parts), 0)?.state).toBe(state);
});

test('the status has what the cutover will wait for while documents are copied', () => {
  expect(describeCutover(record('ACTIVE', manual), 0)).toMatchObject({
    waitsFor: 'an approval (_cutover, or aosc cutover)',
  });
});

test('the predicted pause is shown until the cutover begins', () => {
  const shards = [{ roundMs: 70 }] as unknown as readonly ShardRecord[];
  for (const [phase, predictedPauseMs] of [
    ['PREPARING_TARGET', 70],
    ['CATCHING_UP', undefined],
  ] as const)
    expect(describeCutover(record(phase), 0, shards)?.predictedPauseMs).toBe(predictedPauseMs);
});

import { migrationPhases, shardPhases } from '@aosc/contract';
import { migrationTransitions } from './migration/transitions';
import {
  isAbortedPhase,
  isAbortingPhase,
  isBlockedPhase,
  isCaughtUp,
  isFailedShard,
  isReplayingPhase,
  isTerminalPhase,
  isTerminalShardPhase,
  waitsForWorkers,
} from './phases';
import { jobOfShardPhase, shardTransitions } from './shard/transitions';

test('a migration has ended in the phases that lead nowhere, and in no other', () => {
  const ends = migrationPhases.filter((phase) => migrationTransitions[phase].length === 0);
  expect(migrationPhases.filter(isTerminalPhase)).toEqual(ends);
});

test('a shard has ended in the phases that lead nowhere, and in no other', () => {
  const ends = shardPhases.filter((phase) => shardTransitions[phase].length === 0);
  expect(shardPhases.filter(isTerminalShardPhase)).toEqual(ends);
});

test('an abort is under way in the phases that lead to its end', () => {
  const leadToAbortion = migrationPhases.filter((phase) => migrationTransitions[phase].some(isAbortedPhase));
  expect(migrationPhases.filter(isAbortingPhase)).toEqual(leadToAbortion);
});

test('an end is either the swap or an abort', () => {
  expect(migrationPhases.filter((phase) => isTerminalPhase(phase) && !isAbortedPhase(phase))).toEqual([
    'COMPLETED',
  ]);
  expect(migrationPhases.filter((phase) => isAbortedPhase(phase) && !isTerminalPhase(phase))).toEqual([]);
});

test('workers copy and replay before the cutover, and do the last round under the write block', () => {
  expect(migrationPhases.filter(isReplayingPhase)).toEqual(['ACTIVE', 'PREPARING_TARGET']);
  expect(migrationPhases.filter((phase) => waitsForWorkers(phase) && !isReplayingPhase(phase))).toEqual([
    'CATCHING_UP',
  ]);
  expect(migrationPhases.filter(isReplayingPhase).every(waitsForWorkers)).toBe(true);
});

test('the write block is on from its confirmation to the swap', () => {
  expect(migrationPhases.filter(isBlockedPhase)).toEqual(['CATCHING_UP', 'COMPLETING']);
});

test('a shard without a job has had its last round, has ended or has failed', () => {
  const jobless = shardPhases.filter((phase) => jobOfShardPhase[phase] === undefined);
  expect(
    shardPhases.filter((phase) => isCaughtUp(phase) || isTerminalShardPhase(phase) || isFailedShard(phase)),
  ).toEqual(jobless);
  expect(shardPhases.filter(isFailedShard)).toEqual(['FAILING', 'FAILED']);
});

test('a shard is caught up after its last round', () => {
  expect(shardPhases.filter(isCaughtUp)).toEqual(['COMPLETING', 'COMPLETED']);
});

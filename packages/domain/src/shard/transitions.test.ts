import { shardPhases } from '@aosc/contract';
import { IllegalTransitionError } from '../migration/transitions';
import { newShardRecord } from './new-shard';
import { isTerminalShardPhase, jobOfShardPhase, moveShard, shardTransitions } from './transitions';

const inOrder = [
  'PENDING',
  'ACQUIRING_LEASE',
  'BACKFILLING',
  'CONVERGING',
  'CONVERGED',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
] as const;

test('a shard goes through its phases in order, with a history without gaps', () => {
  const shard = inOrder
    .slice(1)
    .reduce((record, phase, i) => moveShard(record, phase, i + 1), newShardRecord('k', 0, 0));
  expect(shard.transitionHistory.map(({ phase }) => phase)).toEqual(inOrder);
  shard.transitionHistory.forEach((entry, i) => {
    expect(entry.startTimeMillis).toBe(i);
    expect(entry.endTimeMillis).toBe(Math.min(i + 1, inOrder.length - 1));
  });
});

test.each(shardPhases.flatMap((from) => shardPhases.map((to) => [from, to] as const)))(
  '%s -> %s is refused unless the table has it',
  (from, to) => {
    const move = () => moveShard({ ...newShardRecord('k', 0, 0), phase: from }, to, 1);
    if (shardTransitions[from].includes(to)) expect(move().phase).toBe(to);
    else expect(move).toThrow(IllegalTransitionError);
  },
);

test('a shard that has ended, or is failing, needs no job; every other one does', () => {
  for (const phase of shardPhases) {
    const needsJob = !isTerminalShardPhase(phase) && phase !== 'FAILING';
    expect(jobOfShardPhase[phase] !== undefined).toBe(needsJob);
  }
});

import { type ShardPhase, shardPhases } from '@aosc/contract';
import { IllegalTransitionError } from '../migration/transitions';
import { newShardRecord } from './new-shard';
import { isPastCopy, leadsShardTo, moveShard, shardTransitions } from './transitions';

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
  const shard = inOrder.slice(1).reduce(
    (record, phase, i) => {
      if (!leadsShardTo(record.phase, phase)) throw new Error(`${record.phase} does not lead to ${phase}`);
      return moveShard(record, record.phase, phase, i + 1);
    },
    newShardRecord('k', 0, 0),
  );
  expect(shard.transitionHistory.map(({ phase }) => phase)).toEqual(inOrder);
  shard.transitionHistory.forEach((entry, i) => {
    expect(entry.startTimeMillis).toBe(i);
    expect(entry.endTimeMillis).toBe(Math.min(i + 1, inOrder.length - 1));
  });
});

test.each(shardPhases.flatMap((from) => shardPhases.map((to) => [from, to] as const)))(
  '%s -> %s is refused unless the table has it',
  (from, to) => {
    const allowed: readonly ShardPhase[] = shardTransitions[from];
    expect(leadsShardTo(from, to)).toBe(allowed.includes(to));
    if (!leadsShardTo(from, to)) return;
    expect(moveShard({ ...newShardRecord('k', 0, 0), phase: from }, from, to, 1).phase).toBe(to);
  },
);

test('an exit that the table does not have does not compile, and is refused all the same', () => {
  const pending = newShardRecord('k', 0, 0);
  // @ts-expect-error -- the copy comes first
  expect(() => moveShard(pending, 'PENDING', 'CONVERGING', 1)).toThrow(IllegalTransitionError);
  // @ts-expect-error -- it may have ended
  expect(() => moveShard({ ...pending, phase: 'COMPLETED' }, pending.phase, 'CANCELLED', 1)).toThrow(
    IllegalTransitionError,
  );
});

test('a shard that is in another phase than its owner believes stays there', () => {
  const pending = newShardRecord('k', 0, 0);
  expect(() => moveShard(pending, 'BACKFILLING', 'CONVERGING', 1)).toThrow(IllegalTransitionError);
});

test.each(shardPhases.filter(isPastCopy))('from %s no phase leads back to the copy', (phase) => {
  const next: readonly ShardPhase[] = shardTransitions[phase];
  expect(next.filter((each) => !isPastCopy(each))).toEqual([]);
});

test('a shard is past its copy from the end of BACKFILLING on', () => {
  expect(inOrder.filter((phase) => !isPastCopy(phase))).toEqual([
    'PENDING',
    'ACQUIRING_LEASE',
    'BACKFILLING',
  ]);
});

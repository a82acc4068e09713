import type { ShardRecord } from '@aosc/contract';
import {
  countLostOwner,
  describeGivenUp,
  forgetLostOwners,
  isGivenUp,
  evaluateOwner,
  progressMark,
} from './liveness';
import { newShardRecord } from './new-shard';
import { moveShard } from './transitions';

const limits = { timeoutMs: 10_000, requestTimeoutMs: 3000 };
const fresh = newShardRecord('k', 0, 0);

describe('evaluateOwner', () => {
  test.each([
    ['beats and gets answers', { hasOwner: true, silentMs: 0, idleMs: 0 }, 'alive'],
    ['has been slow for less than the timeout', { hasOwner: true, silentMs: 9999, idleMs: 9999 }, 'alive'],
    ['has not beaten', { hasOwner: true, silentMs: 10_000, idleMs: 10_000 }, 'silent'],
    ['beats and gets no answer', { hasOwner: true, silentMs: 0, idleMs: 10_000 }, 'stuck'],
    ['does not report its answers', { hasOwner: true, silentMs: 0, idleMs: undefined }, 'alive'],
    ['does not exist', { hasOwner: false, silentMs: 1e9, idleMs: 1e9 }, 'alive'],
  ] as const)('an owner that %s', (_, observation, verdict) => {
    expect(evaluateOwner(observation, limits)).toBe(verdict);
  });

  test('a request that may take longer than the timeout is waited for, and another one after it', () => {
    const slow = { timeoutMs: 10_000, requestTimeoutMs: 60_000 };
    expect(evaluateOwner({ hasOwner: true, silentMs: 0, idleMs: 119_999 }, slow)).toBe('alive');
    expect(evaluateOwner({ hasOwner: true, silentMs: 0, idleMs: 120_000 }, slow)).toBe('stuck');
    // No request holds up a beat.
    expect(evaluateOwner({ hasOwner: true, silentMs: 10_000, idleMs: 0 }, slow)).toBe('silent');
  });
});

describe('progressMark', () => {
  test('beats, owners and lost ones are no progress', () => {
    const beaten: ShardRecord = {
      ...countLostOwner(fresh, 'silent'),
      writer: { ...fresh.writer, owner: 'me', epoch: 9, heartbeatAtMillis: 99, activity: 7 },
    };
    expect(progressMark(beaten)).toBe(progressMark(fresh));
  });

  test('a phase, a watermark and a round are', () => {
    const moved = moveShard(fresh, 'PENDING', 'ACQUIRING_LEASE', 1);
    const copied: ShardRecord = { ...moved, copy: { fromSeqNo: 0, watermark: 10, documents: 10 } };
    const counters = { status: 'IN_PROGRESS', bulkRetries: 0, rounds: 1, currentGap: 0, startTimeMillis: 1 };
    const replayed = { ...copied, replay: counters } as ShardRecord;
    const marks = [fresh, moved, copied, replayed].map(progressMark);
    expect(new Set(marks).size).toBe(marks.length);
  });
});

describe('giving up', () => {
  const lose = (times: number, how: 'silent' | 'stuck'): ShardRecord =>
    Array.from({ length: times }).reduce<ShardRecord>((record) => countLostOwner(record, how), fresh);

  test('three that hang are enough, ten that die', () => {
    expect(isGivenUp(lose(2, 'stuck'), 1e9, 10_000)).toBe(false);
    expect(isGivenUp(lose(3, 'stuck'), 1e9, 10_000)).toBe(true);
    expect(isGivenUp(lose(9, 'silent'), 1e9, 10_000)).toBe(false);
    expect(isGivenUp(lose(10, 'silent'), 1e9, 10_000)).toBe(true);
  });

  test('not before the timeout, and never when none was lost', () => {
    expect(isGivenUp(lose(50, 'stuck'), 9999, 10_000)).toBe(false);
    expect(isGivenUp(fresh, 1e9, 10_000)).toBe(false);
  });

  test('progress makes the count begin again', () => {
    expect(forgetLostOwners(lose(9, 'silent'))).toEqual(fresh);
    expect(forgetLostOwners(fresh)).toBe(fresh);
  });

  test.each([
    [300_000, '5m'],
    [90_000, '90s'],
    [10_500, '10500ms'],
  ])('the reason begins as the original one did: %d', (timeoutMs, text) => {
    const reason = describeGivenUp(lose(3, 'stuck'), timeoutMs);
    expect(reason).toMatch(new RegExp(`^heartbeat timeout after ${text}: 3 workers in a row`));
    expect(reason).toContain('answered none of its requests');
    expect(describeGivenUp(lose(10, 'silent'), timeoutMs)).toContain('showed no life');
  });
});

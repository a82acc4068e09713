import type { ToldMigration } from '../support/told-migration';
import type { Fault } from './fault';
import { judgeBlocks, judgeEnd } from './evaluate';
import { drawPlan, type Plan } from './plan';

const plan = (fault: Partial<Fault>): Plan => {
  const drawn = drawPlan(1);
  return {
    ...drawn,
    fault: { name: 'x', what: '', demand: 'exact', strike: () => Promise.resolve(), ...fault },
  };
};
const record = (values: Partial<ToldMigration>): ToldMigration => values as ToldMigration;
const active = record({ phase: 'ACTIVE', committed: false });
const overdue = record({ phase: 'FAILED', errorMessage: 'the write block lasted longer than 20000 ms' });
const stray = record({ phase: 'COMPLETED', errorMessage: 'source [a] was written to after the swap' });

describe('the end of a migration', () => {
  test('a block that lasted too long excuses a fault that came under it, and no other', () => {
    expect(judgeEnd(plan({}), active, overdue, true)).toBeUndefined();
    expect(judgeEnd(plan({}), active, overdue, false)).toMatch('lasted longer');
  });

  test('writes that went astray are only excused where the fault let them through', () => {
    expect(judgeEnd(plan({}), active, stray, true)).toMatch('after the swap');
    expect(judgeEnd(plan({ letsWritesStray: true }), active, stray, true)).toBeUndefined();
  });

  test.each([
    ['exact', 'COMPLETED', true],
    ['exact', 'FAILED', false],
    ['exact', 'CANCELLED', false],
    ['exact_or_safe', 'FAILED', true],
    ['exact_or_safe', 'CANCELLED', false],
    ['safe', 'FAILED', true],
    ['safe', 'COMPLETED', false],
  ] as const)('%s: %s', (demand, phase, fine) => {
    expect(judgeEnd(plan({ demand }), active, record({ phase }), false) === undefined).toBe(fine);
  });

  test('what was decided before the fault stays decided', () => {
    const cancelling = record({ phase: 'CANCELLING' });
    expect(judgeEnd(plan({}), cancelling, record({ phase: 'CANCELLED' }), false)).toBeUndefined();
    expect(judgeEnd(plan({}), cancelling, record({ phase: 'FAILED' }), false)).toMatch(
      'CANCELLING ended FAILED',
    );
    expect(judgeEnd(plan({}), cancelling, record({ phase: 'COMPLETED' }), false)).toMatch('ended COMPLETED');
  });

  test('an end that was asked for can come before the fault', () => {
    const failed = record({ phase: 'FAILED', errorMessage: 'gc_deletes was changed' });
    expect(judgeEnd({ ...plan({}), phase: 'FAILING' }, failed, failed, false)).toBeUndefined();
    expect(judgeEnd({ ...plan({}), phase: 'CUTTING_OVER' }, failed, failed, false)).toMatch('FAILED: gc_');
  });
});

describe('the write block', () => {
  const block = { from: 1_000, to: 31_000, unreachableMs: 0 };
  const whole = { from: 0, to: 50_000 };

  test('a fault explains it only where it kept us from OpenSearch, and only as long', () => {
    expect(judgeBlocks(plan({}), [block], whole, 25_000)).toHaveLength(1);
    expect(judgeBlocks(plan({ hindersUs: true }), [block], whole, 25_000)).toEqual([]);
    expect(judgeBlocks(plan({ hindersUs: true }), [block], { from: 0, to: 5_000 }, 25_000)).toHaveLength(1);
    expect(
      judgeBlocks(plan({ hindersUs: true }), [block], { from: 40_000, to: 50_000 }, 25_000),
    ).toHaveLength(1);
  });

  test('so does an OpenSearch that did not answer the probe', () => {
    expect(judgeBlocks(plan({}), [{ ...block, unreachableMs: 6_000 }], whole, 25_000)).toEqual([]);
    expect(judgeBlocks(plan({}), [{ ...block, unreachableMs: 4_000 }], whole, 25_000)).toHaveLength(1);
  });

  test('each one is judged', () => {
    const short = { from: 0, to: 500, unreachableMs: 0 };
    expect(judgeBlocks(plan({}), [short, block, short], whole, 25_000)).toHaveLength(1);
  });
});

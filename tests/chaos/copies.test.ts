import type { Fault } from './fault';
import { findMissing, listWanted } from './copies';
import { isReplaced } from './faults/returns';
import type { View, ViewedCopy } from './faults/view';
import { drawPlan, type Plan } from './plan';

const wanted = { what: 'source', index: 'a', shards: 2, copies: 2 } as const;
const row = (shard: number, prirep: string, state: string) => ({ shard: String(shard), prirep, state });

test('copies that are started or on their way elsewhere are there, others are missing', () => {
  const all = [row(0, 'p', 'STARTED'), row(0, 'r', 'RELOCATING'), row(1, 'p', 'STARTED')];
  expect(findMissing(wanted, [...all, row(1, 'r', 'STARTED')])).toEqual([]);
  for (const state of ['UNASSIGNED', 'INITIALIZING']) {
    expect(findMissing(wanted, [...all, row(1, 'r', state)])).toEqual([{ shard: 1, primary: false }]);
  }
  expect(findMissing(wanted, all)).toEqual([{ shard: 1, primary: false }]);
  expect(findMissing(wanted, [])).toHaveLength(4);
});

test('the source is judged however a migration ends, and the target when it took over', () => {
  const names = { source: 'a', target: 'b' };
  const drawn = drawPlan(1);
  const fault: Fault = { name: 'x', what: '', demand: 'exact', strike: () => Promise.resolve() };
  const plan: Plan = { ...drawn, fault, sourceShards: 3, targetShards: 4, targetReplicas: 0 };
  const source = { what: 'source', index: 'a', shards: 3, copies: 2 };
  expect(listWanted(names, plan, { phase: 'FAILED' })).toEqual([source]);
  expect(listWanted(names, plan, { phase: 'COMPLETED' })).toEqual([
    source,
    { what: 'target', index: 'b', shards: 4, copies: 1 },
  ]);
  expect(
    listWanted(names, { ...plan, fault: { ...fault, destroys: 'source' } }, { phase: 'FAILED' }),
  ).toEqual([]);
});

describe('the others have gone on without a node', () => {
  const copy = (index: string, primary: boolean, node: string | undefined): ViewedCopy => ({
    index,
    shard: 0,
    primary,
    node,
  });
  const view = (...copies: ViewedCopy[]): View => ({ members: [], manager: undefined, copies });
  const away = { name: 'x' };
  const before = view(copy('a', true, 'x'), copy('a', false, 'y'));

  test('when what it had the primary of has another one', () => {
    expect(isReplaced(view(copy('a', true, 'x'), copy('a', false, 'y')), away, before)).toBe(false);
    expect(isReplaced(view(copy('a', true, undefined), copy('a', false, undefined)), away, before)).toBe(
      false,
    );
    expect(isReplaced(view(copy('a', true, 'y'), copy('a', false, undefined)), away, before)).toBe(true);
  });

  test('or can not have one, because there was no other copy, or its replicas are gone', () => {
    const alone = view(copy('a', true, 'x'));
    expect(isReplaced(view(copy('a', true, undefined)), away, alone)).toBe(true);
    expect(isReplaced(view(copy('a', true, undefined)), away, before)).toBe(true);
    expect(isReplaced(view(), away, before)).toBe(true);
  });
});

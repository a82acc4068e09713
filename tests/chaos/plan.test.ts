import { selectRoutingMode } from '@aosc/domain';
import { strikePhases } from './fault';
import { faults } from './faults';
import { describePlan, drawPlan, pairs, stride } from './plan';

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
const name = (seed: number, chosen = {}): string => {
  const { fault, phase } = drawPlan(seed, chosen);
  return `${fault.name} in ${phase}`;
};

test('as many seeds as there are pairs come to every fault in every phase', () => {
  expect(divisor(stride, pairs.length)).toBe(1);
  const seen = new Set(pairs.map((_, seed) => name(seed)));
  expect(seen.size).toBe(pairs.length);
});

test('the same seed gives the same plan, and its line says what is special', () => {
  for (let seed = 0; seed < 50; seed++) {
    const plan = drawPlan(seed);
    const line = describePlan(plan);
    expect(line).toBe(describePlan(drawPlan(seed)));
    expect(line.includes('by files')).toBe(plan.byFiles);
    expect(line.includes('documents move')).toBe(plan.moves);
    expect(line.includes('set aside')).toBe(plan.setsAside);
    expect(line.includes('ids cut')).toBe(plan.oddKeys);
    expect(line.includes('without replicas')).toBe(plan.targetReplicas === 0);
    expect(line.includes('copies replaced after')).toBe(plan.delayedTimeout !== undefined);
  }
});

test('several faults can be chosen, with all their phases', () => {
  const fault = 'node_returns,target_node_returns, manager_returns';
  const seen = new Set(Array.from({ length: 3 * strikePhases.length }, (_, seed) => name(seed, { fault })));
  expect(seen.size).toBe(3 * strikePhases.length);
  expect(new Set([...seen].map((each) => each.split(' ')[0]))).toEqual(
    new Set(['node_returns', 'target_node_returns', 'manager_returns']),
  );
});

test.each(['node_return', 'node_returns,', ''])('%j names no fault', (fault) => {
  expect(() => drawPlan(1, { fault })).toThrow('there is no fault');
});

test('most plans in BULK_API have documents that move, and others have some', () => {
  const plans = Array.from({ length: 400 }, (_, seed) => drawPlan(seed));
  const bulk = plans.filter(({ sourceShards, targetShards }) => targetShards % sourceShards !== 0);
  expect(bulk.length).toBeGreaterThan(plans.length / 3);
  expect(bulk.filter(({ moves }) => moves).length).toBeGreaterThan(bulk.length / 2);
  expect(plans.some((plan) => plan.moves && !bulk.includes(plan))).toBe(true);
});

test('a target is made of files in many plans in which it can be, and in all of them when that is asked for', () => {
  const seeds = Array.from({ length: 400 }, (_, seed) => seed);
  const isLinkable = ({ sourceShards, targetShards, ground }: ReturnType<typeof drawPlan>): boolean =>
    selectRoutingMode(sourceShards, targetShards) !== 'BULK_API' && ground !== 'search_replicas';
  const linkable = seeds.map((seed) => drawPlan(seed)).filter(isLinkable);
  const linked = seeds.map((seed) => drawPlan(seed)).filter(({ byFiles }) => byFiles);
  expect(linked.every(isLinkable)).toBe(true);
  expect(linked.length).toBeGreaterThan(linkable.length / 4);
  expect(linked.length).toBeLessThan(linkable.length);
  const wanted = seeds.map((seed) => drawPlan(seed, { files: true }));
  expect(wanted.filter(({ byFiles }) => byFiles)).toHaveLength(linkable.length);
});

test('every fault has a name of its own', () => {
  expect(new Set(faults.map((fault) => fault.name)).size).toBe(faults.length);
});

import { strikePhases } from '../chaos/fault';
import { faults } from '../chaos/faults';
import { drawSoakPlan, soakFaults } from './plan';

const plans = Array.from({ length: 300 }, (_, seed) => drawSoakPlan(seed));

test('the same seed draws the same migration', () => {
  const named = (seed: number) => {
    const plan = drawSoakPlan(seed);
    return { ...plan, fault: plan.fault.name };
  };
  for (const plan of plans.slice(0, 20))
    expect(named(plan.seed)).toEqual({ ...plan, fault: plan.fault.name });
});

test('a third has no fault, and the others have each in every phase', () => {
  const without = plans.filter(({ fault }) => fault.name === 'none');
  expect(without.length).toBeGreaterThan(80);
  expect(without.length).toBeLessThan(120);
  const withOne = plans.filter(({ fault }) => fault.name !== 'none');
  expect(new Set(withOne.map(({ fault }) => fault.name))).toEqual(new Set(soakFaults));
  expect(new Set(withOne.map(({ phase }) => phase))).toEqual(new Set(strikePhases));
});

test('no fault of a soak ends a process of the service, or destroys what is migrated', () => {
  const known = faults.filter(({ name }) => soakFaults.some((each) => each === name));
  expect(known).toHaveLength(soakFaults.length);
  for (const { name, destroys } of known) {
    expect({ name, destroys }).toEqual({ name });
    expect(name).not.toMatch(/^(api|worker|scheduler)_kill/);
  }
});

import type { ControllerType } from '@aosc/contract';
import { boundsOf, controllerTypes, optimumOf, type Outcome, runScenario, scenarios } from './scenarios';
import { type Bulk, goodput } from './simulate';

const second = 1000;
const outcomes = new Map<string, Outcome>();

/** Runs each once. */
function outcomeOf(name: string, type: ControllerType): Outcome {
  const key = `${name} ${type}`;
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const outcome = outcomes.get(key) ?? runScenario(scenario, type);
  outcomes.set(key, outcome);
  return outcome;
}

/** Part of the best possible that was reached between two moments, in seconds, of the same conditions. */
const share = (outcome: Outcome, from: number, to: number): number =>
  goodput(outcome.bulks, from * second, to * second) / optimumOf(outcome, (to - 1) * second);

/** When a number of bulks had been accepted after a moment, both in seconds. */
function afterBulks({ bulks }: Outcome, count: number, from = 0): number {
  const bulk = bulks.filter(({ endedAt, refused }) => !refused && endedAt > from * second)[count - 1];
  if (bulk === undefined) throw new Error(`there were not ${count} bulks`);
  return bulk.endedAt / second;
}

describe.each(scenarios)('$name', ({ name }) => {
  test.each(controllerTypes)('%s never leaves its bounds, and does not give up', (type) => {
    const { scenario, settings, bulks } = outcomeOf(name, type);
    const bounds = boundsOf(scenario, type, settings);
    const { minBytes } = settings.controller.batch;
    const within = (bulk: Bulk): boolean =>
      bulk.documents <= bounds.maxDocs &&
      // A document that is larger than a bulk may be is sent alone.
      (bulk.documents === 1 || bulk.bytes <= bounds.maxBytes) &&
      bulk.targetBytes >= minBytes &&
      bulk.targetBytes <= bounds.maxBytes &&
      bulk.concurrency >= 1 &&
      bulk.concurrency <= bounds.concurrency;
    expect(bulks.length).toBeGreaterThan(0);
    expect(bulks.filter((bulk) => bulk.failed !== undefined || !within(bulk))).toEqual([]);
  });
});

test('the same input gives the same bulks', () => {
  const outcome = outcomeOf('shared', 'adaptive');
  expect(runScenario(outcome.scenario, 'adaptive').bulks).toEqual(outcome.bulks);
});

/** Bulks after which at least 90 % of the best possible is reached, and kept up to the end of the stretch. */
test.each`
  name                | type                | from   | bulks  | to
  ${'steady'}         | ${'fixed'}          | ${0}   | ${1}   | ${60}
  ${'steady'}         | ${'adaptive_batch'} | ${0}   | ${1}   | ${60}
  ${'steady'}         | ${'adaptive'}       | ${0}   | ${40}  | ${60}
  ${'capacity-step'}  | ${'adaptive_batch'} | ${60}  | ${5}   | ${120}
  ${'capacity-step'}  | ${'adaptive_batch'} | ${120} | ${5}   | ${180}
  ${'capacity-step'}  | ${'adaptive'}       | ${60}  | ${20}  | ${120}
  ${'capacity-step'}  | ${'adaptive'}       | ${120} | ${20}  | ${180}
  ${'latency-knee'}   | ${'adaptive_batch'} | ${0}   | ${25}  | ${240}
  ${'latency-knee'}   | ${'adaptive'}       | ${0}   | ${150} | ${240}
  ${'bursts'}         | ${'adaptive_batch'} | ${40}  | ${5}   | ${110}
  ${'bursts'}         | ${'adaptive'}       | ${40}  | ${20}  | ${110}
  ${'bursts'}         | ${'adaptive_batch'} | ${112} | ${5}   | ${180}
  ${'bursts'}         | ${'adaptive'}       | ${112} | ${20}  | ${180}
  ${'document-drift'} | ${'adaptive_batch'} | ${20}  | ${1}   | ${140}
  ${'document-drift'} | ${'adaptive'}       | ${20}  | ${1}   | ${140}
  ${'noise'}          | ${'adaptive_batch'} | ${0}   | ${1}   | ${120}
  ${'noise'}          | ${'adaptive'}       | ${0}   | ${40}  | ${120}
  ${'shared'}         | ${'adaptive_batch'} | ${0}   | ${6}   | ${180}
  ${'shared'}         | ${'adaptive'}       | ${0}   | ${300} | ${180}
  ${'slow-source'}    | ${'adaptive_batch'} | ${0}   | ${5}   | ${120}
  ${'slow-source'}    | ${'adaptive'}       | ${0}   | ${5}   | ${120}
`(
  '$name, $type: at its best $bulks bulks after $from s, until $to s',
  ({
    name,
    type,
    from,
    bulks,
    to,
  }: {
    name: string;
    type: ControllerType;
    from: number;
    bulks: number;
    to: number;
  }) => {
    const outcome = outcomeOf(name, type);
    expect(share(outcome, afterBulks(outcome, bulks, from), to - 1)).toBeGreaterThan(0.9);
  },
);

test('adaptive answers a cluster that becomes slower before anything is refused', () => {
  const { bulks } = outcomeOf('capacity-step', 'adaptive');
  const inFlight = (from: number, to: number) =>
    bulks
      .filter(({ endedAt }) => endedAt > from * second && endedAt <= to * second)
      .map(({ concurrency, bytes }) => concurrency * bytes);
  expect(Math.min(...inFlight(60, 75))).toBeLessThan(Math.max(...inFlight(50, 60)) * 0.7);
  expect(bulks.filter(({ refused }) => refused)).toEqual([]);
});

test.each(['adaptive_batch', 'adaptive'] as const)(
  '%s: what is in flight stays near the knee once it was found',
  (type) => {
    const { scenario, bulks } = outcomeOf('latency-knee', type);
    const late = bulks.filter(({ endedAt }) => endedAt > scenario.durationMs / 2);
    const mean = late.reduce((sum, { bytes, concurrency }) => sum + bytes * concurrency, 0) / late.length;
    expect(mean).toBeLessThan(1.5 * scenario.conditions(0).kneeBytes);
  },
);

test.each([
  ['adaptive_batch', 0.85],
  ['adaptive', 0.7],
] as const)('%s: six shards on one cluster get about the same', (type, fairness) => {
  const { scenario, bulks } = outcomeOf('shared', type);
  const { shards = 1, durationMs } = scenario;
  const shares = Array.from({ length: shards }, (_, shard) =>
    goodput(
      bulks.filter((bulk) => bulk.shard === shard),
      durationMs / 3,
      durationMs,
    ),
  );
  const total = shares.reduce((sum, each) => sum + each, 0);
  const squares = shares.reduce((sum, each) => sum + each * each, 0);
  // Jain's index: 1 when all get the same, 1/6 when one gets everything.
  expect((total * total) / (shards * squares)).toBeGreaterThan(fairness);
  // And few of the bulks are sent in vain.
  expect(bulks.filter(({ refused }) => refused).length).toBeLessThan(bulks.length * 0.05);
});

test('a source that gives no more is not met with more bulks in flight', () => {
  const { bulks } = outcomeOf('slow-source', 'adaptive');
  expect(Math.max(...bulks.map(({ concurrency }) => concurrency))).toBe(2);
  expect(bulks.filter(({ concurrency }) => concurrency > 1).length).toBeLessThan(bulks.length / 2);
});

test('what adaptive has over the others: a cluster that can work on four bulks at once is used', () => {
  const rate = (type: ControllerType) => goodput(outcomeOf('steady', type).bulks, 20 * second, 60 * second);
  expect(rate('adaptive')).toBeGreaterThan(3 * rate('adaptive_batch'));
});

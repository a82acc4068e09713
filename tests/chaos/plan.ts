import { createRandom } from '@aosc/testkit';
import { type Fault, type StrikePhase, strikePhases } from './fault';
import { faults } from './faults';

/** Everything about a run that is drawn before it begins. */
export interface Plan {
  readonly seed: number;
  readonly fault: Fault;
  readonly phase: StrikePhase;
  readonly sourceShards: number;
  readonly targetShards: number;
  readonly documents: number;
  /** operations a second of all writers */
  readonly rate: number;
  /** between the moment the phase is seen and the fault: in a phase that is short, it may have passed by then */
  readonly delayMs: number;
  /** looks again for what is left behind when the service's guard has looked for the last time */
  readonly waitsForTheGuard: boolean;
}

/** Which fault comes in which phase: each pair once. */
export interface Pair {
  readonly fault: Fault;
  readonly phase: StrikePhase;
}

export const pairs: readonly Pair[] = faults.flatMap((fault) =>
  (fault.phases ?? strikePhases).map((phase) => ({ fault, phase })),
);

/** Prime to the number of pairs, so that successive seeds come to all of them, and neighbours are of different kinds. */
const stride = 101;

/** It takes as long as the rest of a run. */
const guardShare = 0.25;

/**
 * The same seed gives the same plan, as long as there are the same faults.
 * @param chosen leaves fewer pairs
 * @throws Error when none is left
 */
export function drawPlan(
  seed: number,
  chosen: { readonly fault?: string | undefined; readonly phase?: string | undefined } = {},
): Plan {
  const left = pairs.filter(
    ({ fault, phase }) => (chosen.fault ?? fault.name) === fault.name && (chosen.phase ?? phase) === phase,
  );
  const pair = left[(seed * stride) % left.length];
  if (pair === undefined) throw new Error('there is no such fault, or it never comes in that phase');
  const random = createRandom(seed);
  const [sourceShards, targetShards] = random.pick<readonly [number, number]>([
    [2, 4],
    [2, 2],
    [3, 2],
    [1, 3],
  ]);
  return {
    seed,
    ...pair,
    sourceShards,
    targetShards,
    documents: random.pick([1_500, 3_000]),
    rate: random.pick([100, 200]),
    delayMs: random.pick([0, 0, random.below(100), random.below(600)]),
    waitsForTheGuard: random.next() < guardShare,
  };
}

/** One line for people. */
export function describePlan({ fault, phase, sourceShards, targetShards, documents, rate }: Plan): string {
  return `${fault.name} in ${phase}, ${sourceShards}→${targetShards}, ${documents} documents, ${rate} operations/s`;
}

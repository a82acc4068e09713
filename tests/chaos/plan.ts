import { selectRoutingMode } from '@aosc/domain';
import { createRandom } from '@aosc/testkit';
import { drawGround, type Ground } from '../support/ground';
import { beforeTheBlock, type Fault, type StrikePhase, strikePhases } from './fault';
import { faults } from './faults';

/** Everything about a run that is drawn before it begins. */
export interface Plan {
  readonly seed: number;
  readonly fault: Fault;
  readonly phase: StrikePhase;
  readonly sourceShards: number;
  readonly targetShards: number;
  /** 0: who pauses or kills the node of a target shard takes that shard away */
  readonly targetReplicas: 0 | 1;
  /** `index.unassigned.node_left.delayed_timeout` of both indices; undefined: OpenSearch's own minute */
  readonly delayedTimeout: '0s' | '1s' | undefined;
  /** writers move documents to other routings: a delete, and then a creation */
  readonly moves: boolean;
  /** some ids end with half of a surrogate pair */
  readonly oddKeys: boolean;
  readonly documents: number;
  /** operations a second of all writers */
  readonly rate: number;
  /** between the moment the phase is seen and the fault: in a phase that is short, it may have passed by then */
  readonly delayMs: number;
  /** the cluster that the run needs */
  readonly ground: Ground;
  /** restarts and freezes before the migration, which every process of the service lives through */
  readonly shakes: number;
  /** looks again for what is left behind when the service's guard has looked for the last time */
  readonly waitsForTheGuard: boolean;
  /** the start makes the target of the files of the source, while writers write */
  readonly byFiles: boolean;
  /** the cutover holds writers before it blocks them */
  readonly holdsWriters: boolean;
  /** `options.verify`; rehearse: the same, and it ends before the cutover */
  readonly verifies: 'count' | 'content' | 'rehearse';
  /** the target refuses some documents, which are set aside, and written again when its mapping was changed */
  readonly setsAside: boolean;
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
export const stride = 101;

/** It takes as long as the rest of a run. */
const guardShare = 0.25;
const oddKeysShare = 0.3;
const shakenShare = 0.25;
/** Of the plans in which a target can be made of files. */
const filesShare = 0.4;
const holdsShare = 0.5;
const verifiedShare = 0.4;
const rehearseShare = 0.2;
const setAsideShare = 0.3;
/** The shards of a document that moves lead to one shard of the target in BULK_API alone. */
const movesShare = { bulk: 0.75, other: 0.25 };

/**
 * The same seed gives the same plan, as long as there are the same faults.
 * @param chosen leaves fewer pairs; several faults with commas between them
 * @throws Error when none is left, or there is no fault of that name
 */
export function drawPlan(
  seed: number,
  chosen: {
    readonly fault?: string | undefined;
    readonly phase?: string | undefined;
    readonly ground?: Ground | undefined;
    readonly files?: boolean | undefined;
  } = {},
): Plan {
  const names = chosen.fault?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !faults.some((fault) => fault.name === name));
  if (unknown !== undefined) throw new Error(`there is no fault ${unknown}`);
  const left = pairs.filter(
    ({ fault, phase }) => (names?.includes(fault.name) ?? true) && (chosen.phase ?? phase) === phase,
  );
  const pair = left[(seed * stride) % left.length];
  if (pair === undefined) throw new Error('there is no such fault, or it never comes in that phase');
  const random = createRandom(seed);
  const [sourceShards, targetShards] = random.pick<readonly [number, number]>([
    [2, 4],
    [2, 2],
    [3, 2],
    [1, 3],
    [2, 3],
    [3, 4],
  ]);
  const bulk = selectRoutingMode(sourceShards, targetShards) === 'BULK_API';
  const plan: Omit<Plan, 'byFiles' | 'holdsWriters' | 'verifies' | 'setsAside'> = {
    seed,
    ...pair,
    sourceShards,
    targetShards,
    documents: random.pick([1_500, 3_000]),
    rate: random.pick([100, 200]),
    delayMs: random.pick([0, 0, random.below(100), random.below(600)]),
    waitsForTheGuard: random.next() < guardShare,
    targetReplicas: random.pick<0 | 1>([1, 1, 0]),
    delayedTimeout: random.pick([undefined, '0s', '1s']),
    moves: random.next() < (bulk ? movesShare.bulk : movesShare.other),
    oddKeys: random.next() < oddKeysShare,
    ground: drawGround(random, chosen.ground),
    shakes: random.next() < shakenShare ? 3 : 0,
  };
  const canLink = !bulk && plan.ground !== 'search_replicas';
  const byFiles = canLink && (random.next() < filesShare || chosen.files === true);
  const verifies = drawVerifies(plan, byFiles);
  // What is left out would be a difference to a rehearsal, and files are not written.
  const canSetAside = pair.fault.demand === 'exact' && !byFiles && verifies !== 'rehearse';
  return {
    ...plan,
    byFiles,
    holdsWriters: createRandom(seed + 7).next() < holdsShare,
    verifies,
    setsAside: canSetAside && createRandom(seed + 13).next() < setAsideShare,
  };
}

/** Where a fault may spoil the target, what a verification finds would wait for a person. */
function drawVerifies({ seed, fault, phase }: Pick<Plan, 'seed' | 'fault' | 'phase'>, byFiles: boolean) {
  const drawn = createRandom(seed + 11).next();
  if (fault.demand !== 'exact' || drawn >= verifiedShare) return 'count';
  return !byFiles && beforeTheBlock.some((each) => each === phase) && drawn < rehearseShare
    ? 'rehearse'
    : 'content';
}

/** One line for people. */
export function describePlan(plan: Plan): string {
  const { fault, phase, sourceShards, targetShards, documents, rate, targetReplicas, delayedTimeout } = plan;
  const words = [
    `${fault.name} in ${phase}`,
    `${sourceShards}→${targetShards}`,
    `${documents} documents`,
    `${rate} operations/s`,
    ...(plan.byFiles ? ['by files'] : []),
    ...(plan.holdsWriters ? ['writers held'] : []),
    ...(plan.verifies === 'count' ? [] : [plan.verifies === 'content' ? 'verified' : 'rehearsed']),
    ...(plan.setsAside ? ['documents set aside'] : []),
    ...(plan.moves ? ['documents move'] : []),
    ...(plan.oddKeys ? ['ids cut inside a character'] : []),
    ...(plan.ground === 'plain' ? [] : [plan.ground.replace('_', ' ')]),
    ...(plan.shakes === 0 ? [] : [`after ${plan.shakes} restarts and freezes`]),
    ...(targetReplicas === 0 ? ['target without replicas'] : []),
    ...(delayedTimeout === undefined ? [] : [`copies replaced after ${delayedTimeout}`]),
  ];
  return words.join(', ');
}

import type { RoutingMode } from '@aosc/contract';
import { type IndexRoutingShape, selectRoutingMode } from '@aosc/domain';
import { createRandom, type Random } from '@aosc/testkit';
import { drawGround, type Ground } from '../support/ground';
import type { PacingSizes } from '../races/support/pacing';

const features = [
  'nested',
  'join',
  'percolator',
  'derived_field',
  'dynamic_templates',
  'field_alias',
  'flat_object',
  'sorted_index',
  'async_translog',
] as const;
type Feature = (typeof features)[number];

export type TransformKind = 'none' | 'keeps_ids' | 'rewrites_ids';

/** Everything about a run that is drawn before it begins. What is drawn on the way depends on who comes first. */
export interface Plan {
  readonly seed: number;
  readonly source: IndexRoutingShape;
  readonly target: IndexRoutingShape;
  readonly mode: RoutingMode;
  readonly features: ReadonlySet<Feature>;
  /** the mapping refuses documents without a routing */
  readonly routingRequired: boolean;
  readonly transform: TransformKind;
  readonly gcDeletes: '0s' | '1s';
  readonly refreshInterval: '-1' | '1s' | '50ms';
  readonly pacing: PacingSizes;
  readonly convergenceThreshold: number;
  /** keys that the application writes to */
  readonly keys: number;
  readonly writers: number;
  /** operations before the migration starts, and while it runs */
  readonly loadOperations: number;
  readonly liveOperations: number;
  /** rounds that are run before the scheduler may see that all shards have converged */
  readonly rounds: number;
  /** how likely something happens right before a call of the service */
  readonly unrest: number;
  /** how many snapshots a user closes, at most */
  readonly snapshotsToClose: number;
  /** how likely a worker dies, or is taken for dead, in a job */
  readonly takeovers: number;
  /** how likely the outcome of a bulk stays unknown */
  readonly unknownBulks: number;
  /** two documents of the source that can't both live in the target: the migration must fail */
  readonly twins: boolean;
  /** documents that move from one source shard to another, where both lead to one shard of the target; 0: none does */
  readonly movers: number;
  /**
   * keys with half of a surrogate pair or with U+FFFD: only those whose documents can be migrated, or any, of which
   * some must fail the migration
   */
  readonly oddKeys: 'none' | 'kept' | 'any';
  /** which index has virtual shards, as many as its `routingShardCount` says */
  readonly virtualShards: 'none' | 'source' | 'target' | 'both';
  /** the cluster that the run needs */
  readonly ground: Ground;
  /** a node is restarted before the migration, in a process that goes on */
  readonly restartsNode: boolean;
  /** the migration makes the target of the files of the source, while the application writes */
  readonly byFiles: boolean;
  /** of the source, and so of such a target: copies would be made of segments */
  readonly replication: 'document' | 'segment';
  /** how many deleted documents the source keeps at least; 0: as few as OpenSearch wants */
  readonly retainedDeletes: number;
  /** the cutover holds writers, some of which want no copy but the primary and so are not held */
  readonly holdsWriters: boolean;
  /** `options.verify`; rehearse: the same, and it ends before the cutover */
  readonly verifies: 'count' | 'content' | 'rehearse';
  /** the target refuses some documents: they are set aside, and then written again, or accepted */
  readonly refuses: 'none' | 'until_changed' | 'accepted';
}

const mostShards = 8;

/** Of the plans in which documents can move. */
const moversShare = 0.7;
/** Of all plans. */
const oddKeysShare = 0.3;
const virtualShare = 0.15;
const restartShare = 0.1;
/** Of the plans in which a target can be made of files. */
const filesShare = 0.5;
const holdsShare = 0.5;
const rehearseShare = 0.15;
const contentShare = 0.3;
/** Of the plans in which a target can refuse documents. */
const refusesShare = 0.3;

/** The same seed gives the same plan. @param ground of the cluster that there is; left out: as drawn */
export function drawPlan(seed: number, ground?: Ground): Plan {
  const random = createRandom(seed);
  const chance = (probability: number): boolean => random.next() < probability;
  const [sourceShards, targetShards] = drawShards(random);
  const mode = selectRoutingMode(sourceShards, targetShards);
  const drawn = features.filter(() => chance(0.3));
  const smallest = Math.min(sourceShards, targetShards);
  const partitionSize = smallest > 2 && chance(0.25) ? 2 + random.below(smallest - 2) : 1;
  // join fields and partitioned routing exclude each other, and so do sorted indices and nested objects
  const fitting = drawn.filter(
    (feature) =>
      !(feature === 'join' && partitionSize > 1) && !(feature === 'sorted_index' && drawn.includes('nested')),
  );
  const transform = random.pick<TransformKind>(['none', 'none', 'none', 'keeps_ids', 'rewrites_ids']);
  const ring = leastCommonMultiple(sourceShards, targetShards) * random.pick([2, 4, 6]);
  const freeRing = mode === 'BULK_API' || smallest === 1;
  const plan: Omit<
    Plan,
    | 'movers'
    | 'oddKeys'
    | 'virtualShards'
    | 'ground'
    | 'restartsNode'
    | 'byFiles'
    | 'replication'
    | 'retainedDeletes'
    | 'holdsWriters'
    | 'verifies'
    | 'refuses'
  > = {
    seed,
    source: { shardCount: sourceShards, routingShardCount: ring, partitionSize },
    target: {
      shardCount: targetShards,
      routingShardCount: freeRing && chance(0.5) ? targetShards * random.pick([2, 3, 8]) : ring,
      partitionSize: freeRing && chance(0.5) ? 1 : partitionSize,
    },
    mode,
    features: new Set(fitting),
    routingRequired: partitionSize > 1 || chance(0.15),
    transform,
    gcDeletes: random.pick(['1s', '0s']),
    refreshInterval: random.pick(['-1', '1s', '50ms']),
    pacing: {
      documentsPerBulk: 1 + random.below(40),
      documentsPerPage: 5 + random.below(60),
      concurrency: 1 + random.below(3),
    },
    convergenceThreshold: random.pick([1, 20, 500]),
    keys: random.pick([20, 80, 250]),
    writers: 1 + random.below(4),
    loadOperations: random.pick([0, 30, 200, 400]),
    liveOperations: random.pick([60, 150, 300]),
    rounds: random.below(4),
    unrest: random.pick([0, 0.05, 0.2]),
    // most often none where ids are rewritten: that would be the migration's end
    snapshotsToClose: random.pick(transform === 'rewrites_ids' ? [0, 0, 0, 0, 1] : [0, 0, 1, 4]),
    takeovers: random.pick([0, 0.05, 0.2]),
    unknownBulks: random.pick([0, 0, 0.03, 0.1]),
    twins: transform === 'none' && mode === 'BULK_API' && sourceShards > 1 && chance(0.1),
  };
  // Drawn last, so that a seed gives the same plan without movers as before there were any.
  const canMove = mode === 'BULK_API' && sourceShards > 1 && transform !== 'rewrites_ids' && !plan.twins;
  const movers = canMove && chance(moversShare) ? random.pick([5, 10, 20]) : 0;
  const drawsOddKeys = chance(oddKeysShare) && !plan.twins;
  const oddKeys = drawsOddKeys ? random.pick<Plan['oddKeys']>(['kept', 'kept', 'any']) : 'none';
  const virtualShards = chance(virtualShare)
    ? random.pick<Plan['virtualShards']>(['source', 'target', 'both'])
    : 'none';
  const drawnGround = drawGround(random, ground);
  const restartsNode = chance(restartShare);
  const canLink =
    mode !== 'BULK_API' &&
    transform === 'none' &&
    virtualShards === 'none' &&
    drawnGround !== 'search_replicas';
  const byFiles = canLink && chance(filesShare);
  // Such a target inherits both.
  const { routingShardCount, partitionSize: partition } = plan.source;
  const target = byFiles ? { ...plan.target, routingShardCount, partitionSize: partition } : plan.target;
  // A resize waits for replicas by segments, of which a plain cluster has none.
  const replication = byFiles && drawnGround === 'plain' && chance(0.2) ? 'segment' : 'document';
  const retainedDeletes = byFiles && chance(0.3) ? 1_000 : 0;
  const ofFiles = { byFiles, replication, retainedDeletes } as const;
  // From a number of its own: what a plan can be depends on its ground, and this does not.
  const holdsWriters = createRandom(seed + 7).next() < holdsShare;
  const refusing = createRandom(seed + 11);
  // A person would have to look at the twins.
  const verifies = plan.twins ? 'count' : drawVerifies(seed, byFiles);
  // What a rehearsal would leave out is a difference to it.
  const canRefuse = !byFiles && !plan.twins && transform !== 'rewrites_ids' && verifies !== 'rehearse';
  const refuses =
    canRefuse && refusing.next() < refusesShare
      ? refusing.pick<Plan['refuses']>(['until_changed', 'accepted'])
      : 'none';
  return {
    ...plan,
    refuses,
    target,
    movers,
    oddKeys,
    virtualShards,
    ground: drawnGround,
    restartsNode,
    ...ofFiles,
    holdsWriters,
    verifies,
  };
}

function drawVerifies(seed: number, byFiles: boolean): Plan['verifies'] {
  const drawn = createRandom(seed + 13).next();
  if (drawn < rehearseShare && !byFiles) return 'rehearse';
  return drawn < rehearseShare + contentShare ? 'content' : 'count';
}

/** Each routing mode about as often as the others. */
function drawShards(random: Random): readonly [source: number, target: number] {
  const any = (): number => 1 + random.below(mostShards);
  switch (random.pick<'same' | 'split' | 'other'>(['same', 'split', 'other'])) {
    case 'same': {
      const shards = any();
      return [shards, shards];
    }
    case 'split':
      return random.pick([
        [1, 2],
        [1, 4],
        [1, 8],
        [2, 4],
        [2, 8],
        [3, 6],
        [4, 8],
      ]);
    case 'other':
      return [any(), any()];
  }
}

function leastCommonMultiple(a: number, b: number): number {
  const larger = Math.max(a, b);
  for (let multiple = larger; ; multiple += larger)
    if (multiple % a === 0 && multiple % b === 0) return multiple;
}

/** One line for people. */
export function describePlan(plan: Plan): string {
  const { source, target, mode, transform, routingRequired, twins, movers, oddKeys, virtualShards } = plan;
  const words = [
    `${source.shardCount}→${target.shardCount}`,
    mode,
    ...plan.features,
    ...(routingRequired ? ['routing_required'] : []),
    ...(source.partitionSize > 1 ? [`partition_${source.partitionSize}`] : []),
    ...(transform === 'none' ? [] : [transform]),
    ...(twins ? ['twins'] : []),
    ...(movers > 0 ? [`movers_${movers}`] : []),
    ...(oddKeys === 'none' ? [] : [`odd_keys_${oddKeys}`]),
    ...(plan.byFiles ? ['files'] : []),
    ...(plan.replication === 'segment' ? ['segment_replication'] : []),
    ...(plan.retainedDeletes > 0 ? ['retained_deletes'] : []),
    ...(plan.holdsWriters ? ['writers_held'] : []),
    ...(plan.verifies === 'count' ? [] : [plan.verifies]),
    ...(plan.refuses === 'none' ? [] : [`refused_${plan.refuses}`]),
    ...(virtualShards === 'none' ? [] : [`virtual_shards_${virtualShards}`]),
    ...(plan.ground === 'plain' ? [] : [plan.ground]),
    ...(plan.restartsNode ? ['node_restarted'] : []),
  ];
  return words.join(' ');
}

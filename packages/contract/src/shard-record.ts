import { Type } from '@sinclair/typebox';
import { count, integer, maybe, text, truth } from './shapes';
import type { CamelStatic } from './case';
import { CounterStatusSchema, createTransitionSchema, ShardPhaseSchema, shardPhases } from './phases';
import { ShardFlowSchema, ShardProgressSchema } from './progress';
import { SetAsideDocumentSchema } from './set-aside';

export const CountersSchema = Type.Object({
  status: CounterStatusSchema,
  documents_indexed: maybe(Type.Integer()),
  operations_applied: maybe(Type.Integer()),
  deletes_applied: maybe(Type.Integer()),
  bulk_retries: Type.Integer(),
  rounds: Type.Integer(),
  current_gap: Type.Integer(),
  start_time_millis: Type.Integer(),
  end_time_millis: maybe(Type.Integer()),
});
export type Counters = CamelStatic<typeof CountersSchema>;

/**
 * One point in time of one source shard, with everything that identifies what it was taken of.
 * `checkpoint`: every operation up to it is visible in the snapshot. `max_seq_no`: the highest one visible.
 */
const SnapshotSchema = Type.Object({
  pit_id: Type.String(),
  node_id: Type.String(),
  allocation_id: Type.String(),
  primary_term: Type.Integer(),
  index_uuid: Type.String(),
  history_uuid: Type.String(),
  checkpoint: Type.Integer(),
  max_seq_no: Type.Integer(),
  seen_max_seq_no: integer("the shard's max_seq_no read before the refresh"),
  document_count: Type.Integer(),
  opened_at_millis: Type.Integer(),
});
export type Snapshot = CamelStatic<typeof SnapshotSchema>;

/** What the status shows of a shard's record as it is. */
export const shownOfShard = {
  phase: ShardPhaseSchema,
  error: maybe(Type.String()),
  last_replayed_seq_no: Type.Integer(),
  target_seq_no: Type.Integer(),
  backfill_cutoff_seq_no: Type.Integer(),
  backfill: maybe(CountersSchema),
  replay: maybe(CountersSchema),
  convergence: maybe(CountersSchema),
  catching_up: maybe(CountersSchema),
};

/** A source shard of a migration as it is stored: how far its copy is, and which process works on it. */
export const ShardRecordSchema = Type.Object({
  kind: Type.Literal('shard'),
  schema_version: Type.Integer(),
  key: Type.String(),
  shard: count(),
  ...shownOfShard,
  transition_history: Type.Array(createTransitionSchema(shardPhases)),
  writer: Type.Object({
    epoch: Type.Integer({ minimum: 1, description: 'number of the fence that is, or becomes, the open one' }),
    fence_ready: truth('false: older fences may still be open or their bulks running'),
    owner: maybe(text('absent: no worker writes, and every bulk had a known outcome')),
    process: maybe(text('host and process id of the owner, for people; decides nothing')),
    claimed_at_millis: maybe(integer('when the owner took the shard')),
    heartbeat_at_millis: Type.Integer(),
    activity: maybe(integer('grows with every answer of the cluster to the work on the shard')),
    quiet_at_millis: maybe(
      integer(
        'equal to heartbeat_at_millis: nothing that was sent can still be carried out by any node. Otherwise: it may',
      ),
    ),
    nodes: maybe(
      Type.Array(Type.String(), {
        description: 'runs of nodes (node id/ephemeral id) that may hold a bulk of the shard',
      }),
    ),
  }),
  round_ms: maybe(count('how long its latest round took, from the refresh on')),
  progress: maybe(ShardProgressSchema),
  flow: maybe(ShardFlowSchema),
  owners_lost: maybe(
    Type.Object(
      { count: Type.Integer(), last: Type.Union([Type.Literal('silent'), Type.Literal('stuck')]) },
      { description: 'owners that had to be replaced since the work has last come further' },
    ),
  ),
  snapshot: maybe(SnapshotSchema),
  next_snapshot: maybe(SnapshotSchema),
  closing_pit_ids: Type.Array(Type.String()),
  late_closes: maybe(
    Type.Array(Type.Object({ pit_id: Type.String(), since_millis: Type.Integer() }), {
      description:
        'points in time whose node was away when they were to be closed: tried again until they are',
    }),
  ),
  copy: maybe(
    Type.Object({
      from_seq_no: Type.Integer(),
      watermark: integer('every window below it is copied'),
      documents: integer('documents copied below the watermark'),
    }),
  ),
  unchecked_keys_from: maybe(
    integer(
      'first `_seq_no` of documents that came with files and whose keys are still to be read; absent: none',
    ),
  ),
  history_uuid: maybe(text('of the first snapshot; a changed one fails the shard')),
  sweep_pending: truth('a snapshot was lost: the target may hold documents of an older one'),
  snapshots_lost: Type.Integer(),
  losses_in_a_row: maybe(count('snapshots lost since a round has last ended, or none was due')),
  collisions: maybe(
    Type.Object(
      { count: Type.Integer(), first: Type.Array(Type.String()) },
      { description: 'documents of the first copy that met another one in their place in the target' },
    ),
  ),
  contested_ids: maybe(
    Type.Array(Type.String(), {
      description: 'ids in whose place in the target another source shard was seen to have written',
    }),
  ),
  repair_ids: maybe(
    Type.Array(Type.String(), {
      description: 'ids that a verification wants written again: the shard does so in its next look',
    }),
  ),
  set_aside: maybe(
    Type.Array(SetAsideDocumentSchema, {
      description: 'documents of the last snapshot that the target refuses, and does not hold in any version',
    }),
  ),
  contested_unknown: maybe(
    truth(
      'more places may be contested than are named: there were too many, or a job that knew of some was broken off',
    ),
  ),
  shared_places: maybe(
    Type.Array(Type.String(), {
      description: 'pairs of documents that are both in the source and share one place in the target',
    }),
  ),
  final_document_count: maybe(count('documents of the final snapshot, under the write block')),
});
export type ShardRecord = CamelStatic<typeof ShardRecordSchema>;

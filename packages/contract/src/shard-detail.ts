import { type Static, Type } from '@sinclair/typebox';
import { count, integer, maybe, text, truth } from './shapes';
import { createTransitionSchema, ShardPhaseSchema, shardPhases } from './phases';
import { ShardFlowSchema } from './progress';

const OwnerSchema = Type.Object({
  id: text('of the job; another one with each claim'),
  process: maybe(text('host and process id of the worker; absent: a version before has taken the shard')),
  since_millis: maybe(integer('when it took the shard, epoch ms')),
  heartbeat_at_millis: integer('its last sign of life, epoch ms'),
});

const OpenSnapshotSchema = Type.Object({
  work: Type.Union([Type.Literal('current'), Type.Literal('next')], {
    description: 'current: what the target has, or is being given; next: what a round compares it with',
  }),
  node_id: Type.String(),
  opened_at_millis: integer('epoch ms'),
  checkpoint: integer('every operation up to it is in the snapshot'),
  document_count: Type.Integer(),
  is_pinned: maybe(
    truth(
      'the primary is still the copy that it was opened on; false: it is lost, or given up soon; absent: not known',
    ),
  ),
});

/** What is known of one shard beyond the status: which process works on it, where, and what holds it back. */
export const ShardDetailSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  shard: count(),
  phase: ShardPhaseSchema,
  owner: maybe(OwnerSchema),
  owners_lost: count('owners that had to be replaced since the work has last come further'),
  epoch: Type.Integer({ minimum: 1, description: 'number of the fence through which the shard is written' }),
  primary: maybe(
    Type.Object(
      {
        node_id: maybe(text('absent: it is assigned to none')),
        state: text('STARTED, RELOCATING, INITIALIZING or UNASSIGNED'),
      },
      { description: 'of the source, now; absent: the migration has ended, or its source is gone' },
    ),
  ),
  snapshots: Type.Array(OpenSnapshotSchema),
  snapshots_to_close: count('not known to be closed yet'),
  snapshots_lost: count('so far'),
  flow: maybe(ShardFlowSchema),
  transition_history: Type.Array(createTransitionSchema(shardPhases)),
});
export type ShardDetail = Readonly<Static<typeof ShardDetailSchema>>;

import { type Static, Type } from '@sinclair/typebox';
import { createTransitionSchema, ShardPhaseSchema, shardPhases } from './phases';
import { ShardFlowSchema } from './progress';

const OwnerSchema = Type.Object({
  id: Type.String({ description: 'of the job; another one with each claim' }),
  process: Type.Optional(
    Type.String({
      description: 'host and process id of the worker; absent: a version before has taken the shard',
    }),
  ),
  since_millis: Type.Optional(Type.Integer({ description: 'when it took the shard, epoch ms' })),
  heartbeat_at_millis: Type.Integer({ description: 'its last sign of life, epoch ms' }),
});

const OpenSnapshotSchema = Type.Object({
  work: Type.Union([Type.Literal('current'), Type.Literal('next')], {
    description: 'current: what the target has, or is being given; next: what a round compares it with',
  }),
  node_id: Type.String(),
  opened_at_millis: Type.Integer({ description: 'epoch ms' }),
  checkpoint: Type.Integer({ description: 'every operation up to it is in the snapshot' }),
  document_count: Type.Integer(),
  is_pinned: Type.Optional(
    Type.Boolean({
      description:
        'the primary is still the copy that it was opened on; false: it is lost, or given up soon; absent: not known',
    }),
  ),
});

/** What is known of one shard beyond the status: which process works on it, where, and what holds it back. */
export const ShardDetailSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  shard: Type.Integer({ minimum: 0 }),
  phase: ShardPhaseSchema,
  owner: Type.Optional(OwnerSchema),
  owners_lost: Type.Integer({
    minimum: 0,
    description: 'owners that had to be replaced since the work has last come further',
  }),
  epoch: Type.Integer({ minimum: 1, description: 'number of the fence through which the shard is written' }),
  primary: Type.Optional(
    Type.Object(
      {
        node_id: Type.Optional(Type.String({ description: 'absent: it is assigned to none' })),
        state: Type.String({ description: 'STARTED, RELOCATING, INITIALIZING or UNASSIGNED' }),
      },
      { description: 'of the source, now; absent: the migration has ended, or its source is gone' },
    ),
  ),
  snapshots: Type.Array(OpenSnapshotSchema),
  snapshots_to_close: Type.Integer({ minimum: 0, description: 'not known to be closed yet' }),
  snapshots_lost: Type.Integer({ minimum: 0, description: 'so far' }),
  flow: Type.Optional(ShardFlowSchema),
  transition_history: Type.Array(createTransitionSchema(shardPhases)),
});
export type ShardDetail = Readonly<Static<typeof ShardDetailSchema>>;

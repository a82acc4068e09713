import { Type, type Static } from '@sinclair/typebox';
import { createParser, SetAsideSchema } from '@aosc/contract';

/** Counters of one stage of a shard, as `_status` shows them. */
const CountersSchema = Type.Partial(
  Type.Object({
    status: Type.String(),
    documents_indexed: Type.Integer(),
    operations_applied: Type.Integer(),
    deletes_applied: Type.Integer(),
    bulk_retries: Type.Integer(),
    rounds: Type.Integer(),
    current_gap: Type.Integer(),
    start_time_millis: Type.Integer(),
    end_time_millis: Type.Integer(),
  }),
);

const TransitionsSchema = Type.Array(
  Type.Object({
    phase: Type.String(),
    start_time_millis: Type.Integer(),
    end_time_millis: Type.Optional(Type.Integer()),
  }),
);

/** How far a backfill is and how fast; of a shard, and of all of them. */
const ProgressSchema = Type.Object({
  total_documents: Type.Integer(),
  documents_per_second: Type.Optional(Type.Integer()),
  bytes_per_second: Type.Optional(Type.Integer()),
  remaining_seconds: Type.Optional(Type.Integer()),
});

const FlowSchema = Type.Object({
  controller: Type.String(),
  target_bytes: Type.Integer(),
  concurrency: Type.Integer(),
  page_size: Type.Integer(),
  pauses: Type.Integer(),
});

const ShardStatusSchema = Type.Object({
  phase: Type.String(),
  error: Type.Optional(Type.String()),
  last_replayed_seq_no: Type.Optional(Type.Integer()),
  target_seq_no: Type.Optional(Type.Integer()),
  backfill_cutoff_seq_no: Type.Optional(Type.Integer()),
  backfill: Type.Optional(CountersSchema),
  replay: Type.Optional(CountersSchema),
  convergence: Type.Optional(CountersSchema),
  catching_up: Type.Optional(CountersSchema),
  progress: Type.Optional(ProgressSchema),
  flow: Type.Optional(FlowSchema),
  transition_history: Type.Optional(TransitionsSchema),
});

/** The answer of `_status`, as its users see it: written from the contract and not from the service's code. */
const StatusSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  phase: Type.String(),
  shard_routing_mode: Type.String(),
  start_time_millis: Type.Integer(),
  last_updated_millis: Type.Integer(),
  options: Type.Record(Type.String(), Type.Unknown()),
  progress: Type.Optional(ProgressSchema),
  set_aside: Type.Optional(SetAsideSchema),
  waiting_for: Type.Optional(
    Type.Object({ reason: Type.String(), since_millis: Type.Integer(), text: Type.Optional(Type.String()) }),
  ),
  cutover_context: Type.Optional(
    Type.Partial(
      Type.Object({
        source_doc_count: Type.Integer(),
        target_doc_count: Type.Integer(),
        doc_count_tolerance: Type.Integer(),
        doc_count_validation_passed: Type.Boolean(),
        alias_swap_succeeded: Type.Boolean(),
        cutover_start_millis: Type.Integer(),
        cutover_end_millis: Type.Integer(),
      }),
    ),
  ),
  shards: Type.Record(Type.String(), ShardStatusSchema),
  transition_history: Type.Optional(TransitionsSchema),
  error_message: Type.Optional(Type.String()),
});

export type StatusDocument = Static<typeof StatusSchema>;
export type ShardStatus = Static<typeof ShardStatusSchema>;
export type StatusCounters = Static<typeof CountersSchema>;

export const parseStatus = createParser('answer of _status', StatusSchema);

export const parseStarted = createParser(
  'answer of _start',
  Type.Object({ migration_id: Type.String(), accepted: Type.Boolean() }),
);

export const parseCancelled = createParser(
  'answer of _cancel',
  Type.Object({ accepted: Type.Boolean(), phase: Type.String() }),
);

/** Phases that a migration never leaves (contract, section 3). */
export const terminalPhases: readonly string[] = ['COMPLETED', 'CANCELLED', 'FAILED'];

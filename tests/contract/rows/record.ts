import { createParser } from '@aosc/contract';
import type { StatusCounters } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import type { ContractRun, Row, Rows } from '../support/contract-run';
import { loaded } from '../support/completed-sample';
import { shardOf } from '../support/workshop';
import { migrationPhases, shardPhases } from './phases';

const integer = expect.any(Number) as number;

/** Fields of the record of a completed migration, with what they must be. */
const recordRow =
  (check: (record: ContractRun['samples']['completed']['ended'], run: ContractRun) => void): Row =>
  (run) =>
    check(run.samples.completed.ended, run);

const parseTransitions = createParser(
  'transition_history',
  Type.Array(
    Type.Object(
      {
        phase: Type.String(),
        start_time_millis: Type.Integer(),
        end_time_millis: Type.Integer(),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
);

const recordRows: Rows = {
  'record/migration_id': recordRow(({ migration_id: id, start_time_millis: start }, { samples }) => {
    const { source, target } = samples.completed;
    expect(id).toBe(`${source}__${target}__${start}`);
  }),
  'record/source_index': recordRow(({ source_index: name }, { samples }) =>
    expect(name).toBe(samples.completed.source),
  ),
  'record/target_index': recordRow(({ target_index: name }, { samples }) =>
    expect(name).toBe(samples.completed.target),
  ),
  'record/alias': recordRow(({ alias }, { samples }) => expect(alias).toBe(samples.completed.alias)),
  'record/phase': ({ samples }) => {
    expect(samples.completed.pending.phase).toBe('ACTIVE');
    expect(samples.completed.ended.phase).toBe('COMPLETED');
  },
  'record/shard_routing_mode': ({ samples }) => {
    expect(samples.completed.ended.shard_routing_mode).toBe('SPLIT_SHARD');
    expect(samples.merged.ended.shard_routing_mode).toBe('BULK_API');
    expect(samples.counts.tolerated.shard_routing_mode).toBe('SAME_SHARD');
  },
  'record/start_time_millis': recordRow(({ start_time_millis: start, transition_history: history }) => {
    expect(start).toBeGreaterThan(1_600_000_000_000);
    expect(history?.[0]?.start_time_millis).toBe(start);
  }),
  'record/last_updated_millis': ({ samples }) => {
    const { pending, ended } = samples.completed;
    expect(pending.last_updated_millis).toBeGreaterThanOrEqual(pending.start_time_millis);
    expect(ended.last_updated_millis).toBeGreaterThan(pending.last_updated_millis);
  },
  'record/options': recordRow(({ options }) =>
    expect(options).toEqual({
      convergence_threshold_per_shard: 500,
      max_convergence_rounds_per_shard: 1000,
      doc_count_tolerance: 0,
      accept_data_loss_if_custom_routing_is_used: false,
      target_ready_timeout_seconds: 14_400,
      remove_source_write_block_on_success: false,
      transient_target_settings: { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' },
    }),
  ),
  'record/transform_script': recordRow((record) => expect(record).not.toHaveProperty('transform_script')),
  'record/cutover_context': ({ samples }) => {
    expect(samples.completed.pending).not.toHaveProperty('cutover_context');
    expect(samples.completed.ended.cutover_context).toBeDefined();
  },
  'record/shards': ({ samples }) => {
    expect(Object.keys(samples.completed.ended.shards)).toEqual(['0', '1']);
    expect(Object.keys(samples.merged.ended.shards)).toEqual(['0', '1']);
    expect(Object.keys(samples.failed.ended.shards)).toEqual(['0']);
  },
  'record/transition_history': recordRow(({ transition_history: history }) => {
    const entries = parseTransitions(history);
    for (const { phase } of entries) expect(migrationPhases).toContain(phase);
    expect(entries.at(0)?.phase).toBe('ACTIVE');
    expect(entries.at(-1)?.phase).toBe('COMPLETED');
  }),
  'record/error_message': ({ samples }) => {
    expect(samples.completed.ended).not.toHaveProperty('error_message');
    expect(samples.failed.ended.error_message).toMatch(/\S/);
    expect(samples.counts.refused.error_message).toContain('Doc count validation failed');
  },
};

/** A field of the context of a cutover that succeeded, and of one whose counts differed. */
const cutoverRow =
  (field: string, succeeded: unknown, refused: unknown): Row =>
  ({ samples }) => {
    expect(samples.completed.ended.cutover_context).toHaveProperty([field], succeeded);
    if (refused !== undefined)
      expect(samples.counts.refused.cutover_context).toHaveProperty([field], refused);
  };

const cutoverRows: Rows = {
  // 20 were deleted, 20 are new.
  'cutover/source_doc_count': cutoverRow('source_doc_count', loaded, 12),
  'cutover/target_doc_count': cutoverRow('target_doc_count', loaded, 0),
  'cutover/doc_count_tolerance': cutoverRow('doc_count_tolerance', 0, 11),
  'cutover/doc_count_validation_passed': cutoverRow('doc_count_validation_passed', true, false),
  'cutover/alias_swap_succeeded': cutoverRow('alias_swap_succeeded', true, false),
  'cutover/cutover_start_millis': cutoverRow('cutover_start_millis', integer, integer),
  'cutover/cutover_end_millis': ({ samples }) => {
    const { ended } = samples.completed;
    const { cutover_start_millis: start = Infinity, cutover_end_millis: end = 0 } =
      ended.cutover_context ?? {};
    expect(start).toBeGreaterThan(ended.start_time_millis);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(ended.last_updated_millis);
  },
};

const eachShard =
  (check: (shard: ReturnType<typeof shardOf>) => void): Row =>
  ({ samples }) => {
    check(shardOf(samples.completed.ended, 0));
    check(shardOf(samples.completed.ended, 1));
  };

const shardRows: Rows = {
  'shard/phase': eachShard(({ phase }) => expect(phase).toBe('COMPLETED')),
  'shard/error': ({ samples }) => {
    expect(shardOf(samples.failed.ended, 0).error).toMatch(/mapper_parsing|failed to parse/i);
    expect(shardOf(samples.completed.ended, 0)).not.toHaveProperty('error');
  },
  'shard/last_replayed_seq_no': eachShard(({ last_replayed_seq_no: last, backfill_cutoff_seq_no: cutoff }) =>
    expect(last).toBeGreaterThan(cutoff ?? Infinity),
  ),
  'shard/target_seq_no': eachShard(({ target_seq_no: target, last_replayed_seq_no: last }) =>
    expect(target).toBe(last),
  ),
  'shard/backfill_cutoff_seq_no': ({ samples }) => {
    const cutoffs = [0, 1].map(
      (shard) => shardOf(samples.completed.ended, shard).backfill_cutoff_seq_no ?? -1,
    );
    // Two shards share the documents, each with numbers from 0.
    expect(cutoffs.reduce((sum, cutoff) => sum + cutoff + 1, 0)).toBe(loaded);
    expect(shardOf(samples.completed.pending, 0).backfill_cutoff_seq_no).toBe(-1);
  },
  'shard/backfill': eachShard(({ backfill }) => expect(backfill).toBeDefined()),
  'shard/replay': eachShard(({ replay }) => expect(replay).toBeDefined()),
  'shard/convergence': eachShard(({ convergence }) => expect(convergence).toBeDefined()),
  'shard/catching_up': eachShard(({ catching_up: last }) => expect(last).toBeDefined()),
  'shard/transition_history': eachShard(({ transition_history: history }) => {
    expect(parseTransitions(history).map(({ phase }) => phase)).toEqual([
      ...shardPhases.slice(0, shardPhases.indexOf('COMPLETED') + 1),
    ]);
  }),
};

/** Every counter is an integer, and each stage has come to its end. */
function expectCounters(counters: StatusCounters | undefined, fields: readonly string[]): void {
  for (const field of fields) {
    const value: unknown = (counters ?? {})[field as keyof StatusCounters];
    expect({ field, value, integer: Number.isInteger(value) }).toMatchObject({ integer: true });
    expect(value).toBeGreaterThanOrEqual(0);
  }
  expect(counters).toMatchObject({ status: 'COMPLETED', current_gap: 0 });
}
const replayFields = ['operations_applied', 'rounds', 'current_gap', 'bulk_retries'];

const counterRows: Rows = {
  'counters/backfill': ({ samples }) => {
    const fields = ['documents_indexed', 'bulk_retries', 'rounds', 'start_time_millis', 'end_time_millis'];
    const shards = [0, 1].map((shard) => shardOf(samples.completed.ended, shard).backfill);
    for (const backfill of shards) {
      expectCounters(backfill, fields);
      expect(backfill?.rounds).toBeGreaterThan(0);
      expect(backfill?.end_time_millis).toBeGreaterThanOrEqual(backfill?.start_time_millis ?? Infinity);
    }
    expect(shards.reduce((sum, backfill) => sum + (backfill?.documents_indexed ?? 0), 0)).toBe(loaded);
  },
  'counters/replay': eachShard(({ replay }) => {
    expectCounters(replay, replayFields);
    expect(replay?.rounds).toBe(1);
  }),
  'counters/convergence': ({ samples }) => {
    const shards = [0, 1].map((shard) => shardOf(samples.completed.ended, shard).convergence);
    for (const convergence of shards) {
      expectCounters(convergence, replayFields);
      expect(convergence?.rounds).toBeGreaterThan(0);
      expect(convergence?.operations_applied).toBeGreaterThan(0);
    }
    // Written while the cutover was held: 20 changed, 20 new, 20 deleted. What a snapshot shows beyond its checkpoint
    // is applied again by the next round.
    const sumOf = (field: 'operations_applied' | 'deletes_applied') =>
      [0, 1]
        .map((shard) => shardOf(samples.completed.ended, shard))
        .flatMap(({ replay, convergence, catching_up: last }) => [replay, convergence, last])
        .reduce((sum, counters) => sum + (counters?.[field] ?? 0), 0);
    expect(sumOf('operations_applied')).toBeGreaterThanOrEqual(60);
    expect(sumOf('deletes_applied')).toBe(20);
  },
  'counters/catching_up': eachShard(({ catching_up: last }) => {
    expectCounters(last, replayFields);
    expect(last?.end_time_millis).toBeGreaterThanOrEqual(last?.start_time_millis ?? Infinity);
  }),
  'counters/status': ({ samples }) => {
    const [shard] = Object.values(samples.failed.ended.shards);
    expect(shard?.backfill?.status).toBe('FAILED');
    expect(shardOf(samples.completed.ended, 0).backfill?.status).toBe('COMPLETED');
  },
};

export const recordAndShardRows: Rows = { ...recordRows, ...cutoverRows, ...shardRows, ...counterRows };

import { Type } from '@sinclair/typebox';

/** Coordinator phases in the order a migration goes through them (contract, section 3). */
export const migrationPhases = [
  'ACTIVE',
  'PREPARING_TARGET',
  'CUTTING_OVER',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
  'CANCELLING',
  'CANCELLED',
  'FAILING',
  'FAILED',
] as const;
export type MigrationPhase = (typeof migrationPhases)[number];
export const MigrationPhaseSchema = Type.Unsafe<MigrationPhase>({
  type: 'string',
  enum: [...migrationPhases],
});

/** Shard phases in the order a shard goes through them (contract, section 3). */
export const shardPhases = [
  'PENDING',
  'ACQUIRING_LEASE',
  'BACKFILLING',
  'CONVERGING',
  'CONVERGED',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
  'CANCELLED',
  'FAILING',
  'FAILED',
] as const;
export type ShardPhase = (typeof shardPhases)[number];
export const ShardPhaseSchema = Type.Unsafe<ShardPhase>({ type: 'string', enum: [...shardPhases] });

const routingModes = ['SAME_SHARD', 'SPLIT_SHARD', 'BULK_API'] as const;
export type RoutingMode = (typeof routingModes)[number];
export const RoutingModeSchema = Type.Unsafe<RoutingMode>({ type: 'string', enum: [...routingModes] });

/** Status of one counter object of a shard record. */
const counterStatuses = ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;
export type CounterStatus = (typeof counterStatuses)[number];
export const CounterStatusSchema = Type.Unsafe<CounterStatus>({ type: 'string', enum: [...counterStatuses] });

export function createTransitionSchema<P extends MigrationPhase | ShardPhase>(phases: readonly P[]) {
  return Type.Object({
    phase: Type.Unsafe<P>({ type: 'string', enum: [...phases] }),
    start_time_millis: Type.Integer(),
    end_time_millis: Type.Optional(Type.Integer()),
  });
}

import { Type } from '@sinclair/typebox';
import { maybe, oneOf } from './shapes';

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
export const MigrationPhaseSchema = oneOf(migrationPhases);

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
export const ShardPhaseSchema = oneOf(shardPhases);

const routingModes = ['SAME_SHARD', 'SPLIT_SHARD', 'BULK_API'] as const;
export type RoutingMode = (typeof routingModes)[number];
export const RoutingModeSchema = oneOf(routingModes);

/** Status of one counter object of a shard record. */
export const CounterStatusSchema = oneOf(['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const);

/** How many are in which phase. A phase without any is left out. */
export const countsByPhase = <P extends MigrationPhase | ShardPhase>(
  phases: readonly P[],
  description: string,
) =>
  Type.Unsafe<Readonly<Partial<Record<P, number>>>>({
    type: 'object',
    description,
    properties: Object.fromEntries(phases.map((phase) => [phase, { type: 'integer', minimum: 1 }])),
    additionalProperties: false,
  });

export function createTransitionSchema<P extends MigrationPhase | ShardPhase>(phases: readonly P[]) {
  return Type.Object({
    phase: oneOf(phases),
    start_time_millis: Type.Integer(),
    end_time_millis: maybe(Type.Integer()),
  });
}

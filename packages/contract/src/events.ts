import { type Static, Type } from '@sinclair/typebox';
import { integer, maybe, truth } from './shapes';
import { ListItemSchema } from './answers';
import { countsByPhase, migrationPhases, RoutingModeSchema } from './phases';
import { MigrationProgressSchema } from './progress';
import { WaitingSchema } from './records';

/** A migration as the stream of events shows it: an item of `_list`, and what else a list of many needs. */
export const MigrationSummarySchema = Type.Object({
  ...ListItemSchema.properties,
  shard_routing_mode: RoutingModeSchema,
  target_shard_count: Type.Integer({ minimum: 1 }),
  progress: maybe(MigrationProgressSchema),
  waiting_for: maybe(WaitingSchema),
  gap: maybe(integer('operations left to replay, of all shards together; absent: unknown')),
});
export type MigrationSummary = Readonly<Static<typeof MigrationSummarySchema>>;

/** What `data` of each kind of event is. */
export const eventSchemas = {
  reset: Type.Object({}, { description: 'Forget what earlier events said: everything follows.' }),
  migration: MigrationSummarySchema,
  gone: Type.Object(
    { migration_id: Type.String() },
    { description: 'The stream does not show this migration any more.' },
  ),
  totals: Type.Object({
    by_phase: countsByPhase(
      migrationPhases,
      'how many of the migrations that the stream shows are in which phase; phases without one are left out',
    ),
    truncated: truth('there are older migrations, which the stream does not show'),
  }),
  ready: Type.Object(
    { at_millis: integer('epoch ms, of the API') },
    { description: 'All events of a look are there. Only this one has an id.' },
  ),
  trouble: Type.Object(
    { reason: Type.String() },
    { description: 'The records can not be read: what was shown is old, until the next `ready`.' },
  ),
} as const;
export type FleetTotals = Readonly<Static<typeof eventSchemas.totals>>;

/** One event before it is written. */
export type FleetEvent = {
  readonly [K in keyof typeof eventSchemas]: {
    readonly event: K;
    readonly data: Static<(typeof eventSchemas)[K]>;
  };
}[keyof typeof eventSchemas];

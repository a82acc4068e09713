import type { AoscClient, MigrationById } from '@aosc/client';

/** Ids end with the time of the start in epoch milliseconds. */
const idPattern = /__\d{13,}$/;

/** The migration that a word names: by its id, or the running or the newest one of a source. */
export function namedMigration(client: AoscClient, name: string): MigrationById {
  if (idPattern.test(name)) return client.byId(name);
  return {
    status: (options) => client.status(name, options),
    timeline: (options) => client.timeline(name, options),
    shard: (shard, options) => client.shard(name, shard, options),
  };
}

import type { AoscClient, CallOptions } from '@aosc/client';

/** Ids end with the time of the start in epoch milliseconds. */
const idPattern = /__\d{13,}$/;

/** The migration that a word names: by its id, or the running or the newest one of a source. */
export function namedMigration(client: AoscClient, name: string) {
  if (idPattern.test(name)) {
    return {
      status: (options: CallOptions) => client.migration(name, options),
      timeline: (options: CallOptions) => client.migrationTimeline(name, options),
      verification: (options: CallOptions) => client.migrationVerification(name, options),
      shard: (shard: number, options: CallOptions) => client.migrationShard(name, shard, options),
    };
  }
  return {
    status: (options: CallOptions) => client.status(name, options),
    timeline: (options: CallOptions) => client.timeline(name, options),
    verification: (options: CallOptions) => client.verification(name, options),
    shard: (shard: number, options: CallOptions) => client.shard(name, shard, options),
  };
}

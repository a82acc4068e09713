import type { AoscClient, CallOptions, WaitOptions, Wanted } from '@aosc/client';

/** Ids are source, target, and the time of the start in epoch milliseconds. */
const isId = (name: string): boolean => /__\d{13,}$/.test(name) && name.split('__').length > 2;

/** The migration that a word names: by its id, or the running or the newest one of a source. */
export function namedMigration(client: AoscClient, name: string) {
  if (isId(name)) {
    return {
      status: (options: CallOptions) => client.migration(name, options),
      waitFor: (wanted: Wanted, options: WaitOptions) => client.waitForMigration(name, wanted, options),
      timeline: (options: CallOptions) => client.migrationTimeline(name, options),
      verification: (options: CallOptions) => client.migrationVerification(name, options),
      shard: (shard: number, options: CallOptions) => client.migrationShard(name, shard, options),
    };
  }
  return {
    status: (options: CallOptions) => client.status(name, options),
    waitFor: (wanted: Wanted, options: WaitOptions) => client.waitFor(name, wanted, options),
    timeline: (options: CallOptions) => client.timeline(name, options),
    verification: (options: CallOptions) => client.verification(name, options),
    shard: (shard: number, options: CallOptions) => client.shard(name, shard, options),
  };
}

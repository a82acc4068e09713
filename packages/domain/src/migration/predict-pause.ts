import type { MigrationRecord, ShardRecord } from '@aosc/contract';

/** About so many requests follow each other from the stop of writers to the swap, beside those of the last rounds. */
const requests = 15;

/**
 * How long writes would wait or be refused if the cutover began now, in milliseconds: the longest of the shards' latest rounds,
 * and what the last look before the cutover has measured.
 * @returns undefined: no round has been measured yet
 */
export function predictPauseMs(
  { measured }: Pick<MigrationRecord, 'measured'>,
  shards: readonly Pick<ShardRecord, 'roundMs'>[],
): number | undefined {
  const rounds = shards.flatMap(({ roundMs }) => roundMs ?? []);
  if (rounds.length === 0) return undefined;
  const { refreshMs = 0, requestMs = 0 } = measured ?? {};
  return Math.max(...rounds) + refreshMs + requests * requestMs;
}

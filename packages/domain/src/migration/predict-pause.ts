import type { MigrationRecord, ShardRecord } from '@aosc/contract';

/** About so many requests follow each other from the stop of writers to the swap, beside those of the last rounds. */
const requests = 15;

/**
 * How long writes would wait or be refused if the cutover began now, in milliseconds: the longest of the shards' latest rounds,
 * and what the last look before the cutover has measured. A shard that is level with its source has no round any more: however
 * long its last one took, it may stay the last for an hour.
 * @returns undefined: no shard is level, and none has had a round
 */
export function predictPauseMs(
  { measured }: Pick<MigrationRecord, 'measured'>,
  shards: readonly Pick<ShardRecord, 'roundMs' | 'replay' | 'convergence'>[],
): number | undefined {
  const rounds = shards.flatMap(({ roundMs, replay, convergence }) => {
    const isLevel = (convergence ?? replay)?.currentGap === 0;
    return isLevel ? 0 : (roundMs ?? []);
  });
  if (rounds.length === 0) return undefined;
  const { refreshMs = 0, requestMs = 0 } = measured ?? {};
  return Math.max(...rounds) + refreshMs + requests * requestMs;
}

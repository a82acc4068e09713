import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminalPhase } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import type { Faults } from './faults';
import type { Harness } from './harness';

interface DriveOptions {
  /** default: the migration has ended */
  readonly isOver?: () => Promise<boolean>;
  /** of the scheduler */
  readonly faults?: Faults;
  readonly maxLooks: number;
  /** between two looks */
  readonly pauseMs: number;
}

/**
 * Steps of the scheduler and the jobs that they lead to; a step that fails is taken again.
 * @returns the phase that the migration is in at the end
 * @throws when it is not over after `maxLooks`
 */
export async function drive(
  harness: Harness,
  { isOver = () => hasEnded(harness), faults, maxLooks, pauseMs }: DriveOptions,
): Promise<string> {
  for (let look = 0; look < maxLooks; look++) {
    await harness.advance(faults).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
    });
    if (await isOver()) return (await harness.record()).phase;
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard);
    await sleep(pauseMs);
  }
  throw new Error(`not over after ${maxLooks} looks: ${(await harness.record()).phase}`);
}

async function hasEnded(harness: Harness): Promise<boolean> {
  return isTerminalPhase((await harness.record()).phase);
}

import { cancelSample, type CancelledSample } from './cancelled-sample';
import { beginCompleted, type CompletedSample, endCompleted } from './completed-sample';
import { runCountSamples, type CountSamples } from './count-samples';
import { type MergedSample, runMerged } from './merged-sample';
import { type ModeSample, startModes } from './mode-samples';
import { type OptionSamples, startOptions } from './option-samples';
import { type FailedSample, runFailed } from './failed-sample';
import type { Workshop } from './workshop';

/** Real migrations, each for the rows that only it can show. */
export interface Samples {
  readonly completed: CompletedSample;
  readonly merged: MergedSample;
  readonly counts: CountSamples;
  readonly failed: FailedSample;
  readonly cancelled: CancelledSample;
  readonly modes: readonly ModeSample[];
  readonly options: OptionSamples;
}

const permits = 'aosc.backfill.max_concurrent_per_node';

/**
 * First come those that stay PENDING, because no backfill is permitted. Then the permits are raised, and the others
 * run, all at once.
 */
export async function makeSamples(workshop: Workshop): Promise<Samples> {
  const { environment } = workshop;
  await environment.putSettings({ [permits]: '0' });
  const options = await startOptions(workshop);
  const [begun, cancelled, modes] = await Promise.all([
    beginCompleted(workshop),
    cancelSample(workshop),
    startModes(workshop),
  ]);
  await environment.putSettings({ [permits]: null });
  const [completed, merged, counts, failed] = await Promise.all([
    endCompleted(workshop, begun),
    runMerged(workshop),
    runCountSamples(workshop),
    runFailed(workshop),
  ]);
  return { completed, merged, counts, failed, cancelled, modes, options };
}

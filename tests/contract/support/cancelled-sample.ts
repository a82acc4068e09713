import { readStatus, type StatusDocument, waitForPhase } from '@aosc/testkit';
import { type Answer, expectStarted, pathOf, type Workshop } from './workshop';
import { fill, makePair, type Names } from './indices';

/** A migration that was cancelled twice in a row, and its source started again. */
export interface CancelledSample extends Names {
  readonly cancels: readonly [Answer, Answer];
  readonly ended: StatusDocument;
  readonly cancelAfter: Answer;
  /** of a second migration of the same indices, cancelled too */
  readonly second: StatusDocument;
}

export async function cancelSample(workshop: Workshop): Promise<CancelledSample> {
  const { environment, api } = workshop;
  const { apiUrl } = environment;
  const names = await makePair(workshop, 'c-cancelled', { shards: 1 }, { shards: 1 });
  const { source, target, alias } = names;
  await fill(workshop, source, 10);
  const start = () => api('POST', pathOf(source, '_start'), { target_index: target, alias });
  const cancel = () => api('POST', pathOf(source, '_cancel'));
  const end = () => waitForPhase(apiUrl, source, ['CANCELLED'], { intervalMs: 50 });

  expectStarted(await start());
  // At the same moment: one after the other, the migration may have ended by the second.
  const cancels = await Promise.all([cancel(), cancel()]);
  const ended = await end();
  const cancelAfter = await cancel();
  expectStarted(await start());
  const second = await readStatus(apiUrl, source);
  await cancel();
  await end();
  return { ...names, cancels, ended, cancelAfter, second };
}

import { readStatus, waitForPhase, waitForStatus } from '@aosc/testkit';
import type { Rows } from '../support/contract-run';
import { expectStarted, pathOf } from '../support/workshop';
import { listBoardQueues } from '../../support/board';
import { until } from '../../support/environment';
import { fill, makePair } from '../support/indices';

const permits = 'aosc.backfill.max_concurrent_per_node';
const slow = 'aosc.backfill.controller.batch.max_docs';

export const permitRows: Rows = {
  'permits/0': ({ samples }) => {
    expect(Object.values(samples.completed.pending.shards).map(({ phase }) => phase)).toEqual([
      'PENDING',
      'PENDING',
    ]);
  },
  'permits/raised': ({ samples }) => expect(samples.completed.ended.phase).toBe('COMPLETED'),
  'permits/lowered': async (run) => {
    const { environment, api } = run;
    const { apiUrl } = environment;
    await environment.putSettings({ [slow]: '1' });
    const [held, next] = await Promise.all([
      makePair(run, 'c-held', { shards: 1 }, { shards: 1 }),
      makePair(run, 'c-next', { shards: 1 }, { shards: 1 }),
    ]);
    // So many that bulks of one document outlast the change of the permits, on a fast machine too.
    await fill(run, held.source, 20_000);
    const start = async ({ source, target, alias }: typeof held) =>
      expectStarted(await api('POST', pathOf(source, '_start'), { target_index: target, alias }));
    const phaseIn = async ({ source }: typeof held) =>
      Object.values((await readStatus(apiUrl, source)).shards).map(({ phase }) => phase);
    await start(held);
    await waitForStatus(
      apiUrl,
      held.source,
      ({ shards }) => (shards['0']?.backfill?.documents_indexed ?? 0) > 0,
      'a backfill under way',
      { intervalMs: 50 },
    );
    await environment.putSettings({ [permits]: '0' });
    // A change may take two seconds to reach the scheduler, which holds the queues to it.
    await until('queues that let nobody in', async () => {
      const queues = await listBoardQueues(apiUrl);
      return queues.every(
        ({ name, globalConcurrency }) => !name.startsWith('backfill-') || globalConcurrency === 0,
      );
    });
    await start(next);
    expect(await phaseIn(held)).toEqual(['BACKFILLING']);
    await environment.putSettings({ [slow]: null });
    // The permit that is held is not taken away, and none is given meanwhile.
    await waitForPhase(apiUrl, held.source, ['COMPLETED'], { intervalMs: 100 });
    expect(await phaseIn(next)).toEqual(['PENDING']);
    await environment.putSettings({ [permits]: null });
    await waitForPhase(apiUrl, next.source, ['COMPLETED'], { intervalMs: 100 });
  },
};

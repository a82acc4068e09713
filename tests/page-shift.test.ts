import {
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  startWriters,
  waitForPhase,
} from '@aosc/testkit';
import { readShift, watchShifts } from './support/layout-shift';
import { startPageTests } from './support/page-tests';
import { widths } from './support/visit-page';

jest.setTimeout(900_000);

/** Half of what counts as good. */
const mostShift = 0.05;
const tests = startPageTests();

test.each(widths)('at %i pixels nothing jumps while a migration runs to its end', async (width) => {
  const { environment } = tests;
  const source = `shift-${width}`;
  const ids = Array.from({ length: 2_000 }, (_, n) => `loaded-${n}`);
  await createSourceIndex(environment.http, { name: source, alias: `${source}-a`, shards: 4 });
  await createTargetIndex(environment.http, { name: `${source}-2`, shards: 4 });
  await loadDocuments(
    environment.http,
    source,
    ids.map((id) => ({ id, source: `{"key":"${id}","revision":0}` })),
  );
  const writers = startWriters({
    urls: environment.writerUrls,
    alias: `${source}-a`,
    rate: 50,
    adopt: ids,
  });
  try {
    // It waits at first, so that the wait and its end are seen as well.
    const opened = await tests.whileHeld(async () => {
      const id = await startMigration(environment.apiUrl, {
        source,
        target: `${source}-2`,
        alias: `${source}-a`,
      });
      const views = [
        { path: `/migrations/${source}/${id}`, end: 'This migration has moved the alias' },
        { path: '/', end: 'Completed' },
      ];
      const visits = await Promise.all(
        views.map(async ({ path, end }) => {
          const visited = await tests.open(path, { width, prepare: watchShifts });
          await visited.page.getByText('Live', { exact: true }).waitFor();
          return { ...visited, path, end };
        }),
      );
      await visits[0]?.page.getByText('so that no shard may begin').waitFor();
      return visits;
    });
    await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
    for (const { page, path, end, close } of opened) {
      await page.getByText(end).first().waitFor();
      // What is left to do comes from the cluster, after the end.
      if (path !== '/') await page.getByText(`Delete ${source} when`).waitFor();
      const { worst, shifts } = await readShift(page);
      expect([path, worst < mostShift, worst < mostShift ? [] : shifts]).toEqual([path, true, []]);
      await close();
    }
  } finally {
    await writers.stop();
  }
});

import {
  callJson,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  startWriters,
  waitForPhase,
} from '@aosc/testkit';
import type { Page } from 'playwright-core';
import { until } from './support/environment';
import { startPageTests } from './support/page-tests';
import { findBarriers, findOverflow, themes, widths } from './support/visit-page';

jest.setTimeout(1_200_000);

const tests = startPageTests();

/** @returns ids of its documents */
async function makeSource(name: string, documents: number): Promise<readonly string[]> {
  const ids = Array.from({ length: documents }, (_, n) => `loaded-${n}`);
  const { http } = tests.environment;
  await createSourceIndex(http, { name, alias: `${name}-alias`, shards: 2 });
  const sources = ids.map((id, n) => ({ id, source: `{"key":"${id}","revision":0,"cents":${n}}` }));
  await loadDocuments(http, name, sources);
  return ids;
}

const start = (source: string) =>
  startMigration(tests.environment.apiUrl, { source, target: `${source}-2`, alias: `${source}-alias` });

const plan = (page: Page) => page.getByRole('region', { name: 'Plan', exact: true });
/** What is folded in the form of a start. */
const fold = (page: Page, title: string) => page.locator('summary').filter({ hasText: title });

/** Goes to another path as a link does: without loading the page again. */
const goByLink = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

describe.each(widths)('at %i pixels', (width) => {
  const named = (name: string): string => `page-${name}-${width}`;

  test('a migration is started in the form, with a target from the source and a transform, and watched to its end', async () => {
    const source = named('books');
    const ids = await makeSource(source, 500);
    const writers = startWriters({
      urls: tests.environment.writerUrls,
      alias: `${source}-alias`,
      rate: 50,
      adopt: ids,
    });
    try {
      const { page, complaints, close } = await tests.open('/', { width });
      // Nothing is copied yet, so that the wait can be seen.
      await tests.whileHeld(async () => {
        await page.getByRole('link', { name: 'Start a migration' }).click();
        await page.getByLabel('Source index').fill(source);
        await page.getByRole('option', { name: source }).click();
        // The one alias of the source was taken over into the form.
        expect(await page.getByLabel('Alias', { exact: true }).inputValue()).toBe(`${source}-alias`);
        await page.getByLabel('Target index').fill(`${source}-2`);
        await page.getByLabel('Shards', { exact: true }).fill('4');
        await plan(page).getByText(`${source}-2 is made like ${source}, with 4 shards`).waitFor();
        await plan(page).getByText('SPLIT_SHARD').waitFor();
        await fold(page, 'Differences').click();
        await plan(page).getByText('settings.index.number_of_shards').waitFor();
        await fold(page, 'Options').click();
        const tolerance = page.getByLabel('Accepted difference of the document counts');
        expect(await tolerance.inputValue()).toBe('0');
        await tolerance.fill('-1');
        // The field shows a mistake when the user leaves it, and not before.
        expect(await page.getByText('This must be at least 0.').count()).toBe(0);
        await tolerance.blur();
        await page.getByText('This must be at least 0.').waitFor();
        await tolerance.fill('0');
        await fold(page, 'Transform').click();
        await page.getByLabel('Painless script').fill('ctx._source.shelf = params.shelf');
        await page.getByLabel('Parameters').fill('{"shelf": "upper"}');
        await page.getByRole('button', { name: 'Try it on documents of the source' }).click();
        await page.getByRole('insertion').filter({ hasText: '"shelf": "upper"' }).first().waitFor();
        await page.getByRole('button', { name: 'Make the target and plan' }).click();
        await plan(page).getByText(`${source}-2 was made for the plan.`).waitFor();
        await plan(page).getByText('Nothing is in the way.').waitFor();
        // The writers make documents and delete some.
        await plan(page)
          .getByText(/The script changes \d+ documents/)
          .waitFor();
        await page
          .getByRole('insertion')
          .filter({ hasText: /^\+ shelf: \d+ documents/ })
          .waitFor();
        await page.getByRole('button', { name: 'Review and start' }).click();
        const question = page.getByRole('dialog', { name: `Start the migration of ${source}?` });
        await question.getByText('Documents, changed by your script, are copied').waitFor();
        expect(await findBarriers(page)).toEqual([]);
        await question.getByRole('button', { name: 'Start the migration' }).click();
        await page.getByRole('heading', { name: source }).waitFor();
        // From here the page is only looked at: all that changes comes by itself.
        await page.getByText('so that no shard may begin').waitFor();
      });
      await page.getByText(`This migration has moved the alias ${source}-alias to ${source}-2.`).waitFor();
      await page.getByRole('region', { name: 'In the cluster now' }).getByText(`on ${source}-2`).waitFor();
      await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
      await page.getByRole('button', { name: /^Shard 0: Completed/ }).click();
      await page.getByRole('region', { name: 'Shard 0' }).waitFor();
      expect(await findWithout(`${source}-2`, 'shelf', ids)).toEqual([]);
      await page.getByRole('tab', { name: 'Plots' }).click();
      await page.getByText('Pauses so far').waitFor();
      await goByLink(page, 'Migrations');
      await page.getByRole('row').filter({ hasText: source }).getByText('Completed').waitFor();
      expect(complaints).toEqual([]);
      await close();
    } finally {
      await writers.stop();
    }
    expect(writers.stats().operations).toBeGreaterThan(0);
  });

  test('a target is made of the files of the source, and the page says why where it can not be', async () => {
    const source = named('maps');
    await makeSource(source, 300);
    const { page, complaints, close } = await tests.open('/start', { width });
    await page.getByLabel('Source index').fill(source);
    await page.getByLabel('Target index').fill(`${source}-2`);
    await page.getByLabel('Alias', { exact: true }).fill(`${source}-alias`);
    await page.getByLabel('Shards', { exact: true }).fill('3');
    await page.getByRole('checkbox', { name: /Make it from the files of the source/ }).check();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await plan(page)
      .getByText('a shard of the source has no target shards of its own with 2 to 3 shards')
      .waitFor();
    await plan(page).getByText('The plan refuses it.').waitFor();
    await page.getByLabel('Shards', { exact: true }).fill('4');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await plan(page).getByText('Nothing is in the way.').waitFor();
    await page.getByRole('button', { name: 'Review and start' }).click();
    await page.getByText(`${source}-2 is made of the files of ${source}`).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start the migration' }).click();
    await page.getByText(`This migration has moved the alias ${source}-alias to ${source}-2.`).waitFor();
    const status = await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
    expect(status.options).toMatchObject({ copy: 'files' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a migration is cancelled, after it was said what that means; errors say what to do', async () => {
    const source = named('songs');
    await makeSource(source, 10);
    const { page, close } = await tests.open('/start', { width });
    await page.getByLabel('Source index').fill(source);
    await page.getByRole('button', { name: 'Use an empty index' }).click();
    await page.getByLabel('Target index').fill(`${source}-2`);
    await page.getByLabel('Alias', { exact: true }).fill('songs-typo');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText(`This is not on ${source}, whose aliases are ${source}-alias.`).waitFor();
    await page.getByText('which takes no writes after the swap').waitFor();
    await page.getByLabel('Alias', { exact: true }).fill(`${source}-alias`);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await plan(page)
      .getByText(/^Create the target with _create_target/)
      .waitFor();
    await createTargetIndex(tests.environment.http, { name: `${source}-2`, shards: 2 });
    await callJson(tests.environment.http, (value) => value, 'PUT', `/${source}-3`);
    await page.getByLabel('Target index').fill(`${source}-3`);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await plan(page).getByText('in the source and nothing in the target').first().waitFor();
    // Nothing begins without permits, so that there is time to cancel.
    await tests.whileHeld(async () => {
      await start(source);
      await page.goto(`/migrations/${source}`);
      await page.getByText('so that no shard may begin').waitFor();
      await page.getByRole('button', { name: 'Cancel the migration' }).click();
      await page.getByRole('heading', { name: 'What stays' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel it' }).click();
      await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
      await page.getByText('This migration was cancelled. It has not moved the alias.').waitFor();
    });
    expect(await page.getByRole('button', { name: 'Cancel the migration' }).count()).toBe(0);
    await close();
  });

  test('a migration that fails says why, and what to do', async () => {
    const source = named('films');
    await makeSource(source, 200);
    await createTargetIndex(tests.environment.http, { name: `${source}-2`, shards: 2 });
    const { page, complaints, close } = await tests.open('/', { width });
    await startMigration(tests.environment.apiUrl, {
      source,
      target: `${source}-2`,
      alias: `${source}-alias`,
      // The documents that a start tries it on do not have this one among them, or the start would say it.
      transformScript: {
        type: 'inline',
        source: "if (ctx._source.cents == 177) { throw new IllegalArgumentException('no price'); }",
      },
    });
    await page.getByRole('link', { name: source, exact: true }).click();
    await page
      .getByText('It ends as FAILED')
      .or(page.getByText('Why', { exact: true }))
      .first()
      .waitFor();
    await waitForPhase(tests.environment.apiUrl, source, ['FAILED']);
    const why = page.getByRole('alert').filter({ hasText: 'Why' });
    await why.getByText('no price').waitFor();
    await why.getByText('Try the transform again in the start form').waitFor();
    const more = await why.getByRole('link', { name: 'Transform documents' }).getAttribute('href');
    const documentation = await page.request.get(more ?? 'nowhere');
    expect([documentation.status(), await documentation.text()]).toEqual([
      200,
      expect.stringContaining('<title>Transform documents'),
    ]);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a profile is chosen, looked at, and applied', async () => {
    const { page, complaints, close } = await tests.open('/settings', { width });
    const profile = page.getByRole('region', { name: 'Writes only, or offline' });
    await profile.getByRole('button', { name: 'Choose this profile' }).click();
    await page.getByRole('button', { name: 'Review the changes' }).click();
    await page.getByRole('dialog').getByText('aosc.backfill.max_concurrent_per_node').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await profile.getByText('This profile is in use.').waitFor();
    await tests.environment.putSettings({ 'aosc.*': null });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a migration that no scheduler ends is cleared by hand', async () => {
    const { environment } = tests;
    const source = named('plays');
    await makeSource(source, 10);
    await createTargetIndex(tests.environment.http, { name: `${source}-2`, shards: 2 });
    await tests.whileHeld(async () => {
      await start(source);
      await waitForPhase(tests.environment.apiUrl, source, ['ACTIVE']);
      for (const scheduler of environment.service.schedulers) await scheduler.stop();
      try {
        const { page, complaints, close } = await tests.open(`/migrations/${source}`, { width });
        await page.getByRole('button', { name: 'Cancel the migration' }).click();
        await page.getByRole('button', { name: 'Cancel it' }).click();
        await page.getByText('The migration is being undone').waitFor();
        await page.getByRole('link', { name: 'Clear it by hand' }).click();
        const clearing = page.getByRole('region', { name: 'Clear a migration that is stuck' });
        expect(await clearing.getByRole('combobox', { name: 'Migration' }).inputValue()).toMatch(
          `${source}__`,
        );
        const clear = clearing.getByRole('button', { name: 'Clear it' });
        expect(await clear.count()).toBe(0);
        await clearing.getByRole('button', { name: 'Show what would be done' }).click();
        await clearing.getByRole('heading', { name: 'What would be done' }).waitFor();
        await clearing.getByRole('cell', { name: new RegExp(`^${source}__`) }).waitFor();
        await clear.click();
        await clearing.getByRole('heading', { name: 'What was done' }).waitFor();
        await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
        await page.goto(`/migrations/${source}`);
        await page.getByText('cleared by an administrator').waitFor();
        expect(complaints).toEqual([]);
        await close();
      } finally {
        await environment.restore(1);
      }
    });
  });
});

/** Those of the documents that lack a field, and that no writer has changed or deleted since they were loaded. */
async function findWithout(index: string, field: string, ids: readonly string[]): Promise<readonly string[]> {
  const { body } = await tests.environment.http.send({
    method: 'POST',
    path: `/${index}/_mget`,
    body: JSON.stringify({ ids }),
  });
  const { docs } = JSON.parse(body.toString('utf8')) as {
    docs: readonly { _id: string; found: boolean; _source?: Record<string, unknown> }[];
  };
  return docs
    .filter(({ found, _source }) => found && _source?.['revision'] === 0 && _source[field] === undefined)
    .map(({ _id }) => _id);
}

const views = ['/', '/start', '/settings', '/state', '/sign-in', '/migrations/missing'];

test.each(themes)('no view has a serious barrier, or is wider than the screen, in %s', async (theme) => {
  const found: unknown[] = [];
  const migrations = ['books', 'songs', 'films'].map((name) => `/migrations/page-${name}-1280`);
  for (const width of [...widths, 2_560]) {
    for (const path of [...views, ...migrations]) {
      const { page, close } = await tests.open(path, { width, theme });
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const [barriers, over] = [await findBarriers(page), await findOverflow(page)];
      if (barriers.length > 0 || over !== 0) found.push({ path, width, barriers, over });
      await close();
    }
  }
  expect(found).toEqual([]);
});

test.each(themes)('nor has what is opened on one of them, in %s', async (theme) => {
  for (const width of widths) {
    const { page, close } = await tests.open(`/migrations/page-books-1280`, {
      width,
      theme,
    });
    await page.getByRole('button', { name: /^Shard 0:/ }).click();
    await page.getByRole('region', { name: 'Shard 0' }).waitFor();
    for (const name of ['Shards', 'Plots', 'Cutover', 'Options', 'Raw status']) {
      await page.getByRole('tab', { name }).click();
      await until(`the tab ${name}`, async () => page.getByRole('tab', { name, selected: true }).isVisible());
      expect([name, await findBarriers(page), await findOverflow(page)]).toEqual([name, [], 0]);
    }
    await close();
  }
});

import { randomUUID } from 'node:crypto';
import {
  callRaw,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  readStatus,
  waitForPhase,
} from '@aosc/testkit';
import type { Page } from 'playwright-core';
import { readShift, watchShifts } from './support/layout-shift';
import { startPageTests } from './support/page-tests';
import { findBarriers, findOverflow, widths } from './support/visit-page';

jest.setTimeout(900_000);

/** Half of what counts as good. */
const mostShift = 0.05;
const tests = startPageTests();
const pipeline = `plan-${randomUUID()}`;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const planOf = (page: Page) => page.getByRole('region', { name: 'Plan', exact: true });
const stateOf = (page: Page) => planOf(page).getByRole('status');

/** A source whose documents have a text that a target with a date refuses. @returns its name */
async function makeSource(name: string): Promise<string> {
  const { http } = tests.environment;
  const source = `plan-${name}`;
  const mappings = { properties: { when: { type: 'keyword' } } };
  await createSourceIndex(http, { name: source, alias: `${source}-a`, shards: 2, mappings });
  const documents = Array.from({ length: 300 }, (_, n) => ({
    id: `${n}`,
    source: JSON.stringify({ when: n % 100 === 0 ? `soon ${n}` : '2026-01-01' }),
  }));
  await loadDocuments(http, source, documents);
  return source;
}

async function fill(page: Page, source: string): Promise<void> {
  await page.getByLabel('Source index').fill(source);
  await page.getByRole('option', { name: `${source} ${source}-a` }).click();
  await button(page, 'Use an empty index').click();
  await page.getByLabel('Target index').fill(`${source}-2`);
  await page.getByLabel('Target index').blur();
}

/** Bodies that the page sends to a path, in order. */
function watchBodies(page: Page, path: string): readonly object[] {
  const bodies: object[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path)) bodies.push(request.postDataJSON() as object);
  });
  return bodies;
}

const asOperator = (method: 'PUT' | 'DELETE', path: string, body?: object) =>
  callRaw(tests.environment.http, { method, path, ...(body && { body: JSON.stringify(body) }) });

test.each(widths)(
  'at %i pixels a plan says what is in the way and what helps, and the start follows the plan',
  async (width) => {
    const source = await makeSource(`${width}`);
    const target = `${source}-2`;
    const { http, apiUrl } = tests.environment;
    const settings = { 'index.default_pipeline': `${pipeline}-${width}` };
    const asDate = { properties: { when: { type: 'date' } } };
    await createTargetIndex(http, { name: target, shards: 2, mappings: asDate, settings });
    const { page, close } = await tests.open('/start', { width, prepare: watchShifts });
    const [plans, starts] = [watchBodies(page, '/_plan'), watchBodies(page, '/_start')];
    await fill(page, source);
    await page.evaluate('globalThis.shifts = []');
    await button(page, 'Plan').click();
    await stateOf(page).getByText('It may take half a minute').waitFor();
    await stateOf(page).getByText('This would be refused: 2 things in the way.').waitFor();
    const checkOf = (id: string) => planOf(page).locator('.note').filter({ hasText: id });
    await checkOf('documents.fit').getByText('3 of the documents that were tried').waitFor();
    await checkOf('documents.fit').getByText('Change the mapping of the target').waitFor();
    await checkOf('target.pipelines').getByText(`[${pipeline}-${width}]`).waitFor();
    await checkOf('target.pipelines')
      .getByText(/^Put the pipeline, or set/)
      .waitFor();
    await planOf(page).getByText('counted on the primaries').waitFor();
    await planOf(page).getByText('300 documents tried').waitFor();
    expect(await button(page, 'Review and start').getAttribute('aria-disabled')).toBe('true');
    await planOf(page).getByText('The plan refuses it.').waitFor();
    await planOf(page).getByText('checks are fine').click();
    expect([await findBarriers(page), await findOverflow(page)]).toEqual([[], 0]);

    // What is in the way is put right.
    await asOperator('PUT', `/_ingest/pipeline/${pipeline}-${width}`, { processors: [] });
    await asOperator('DELETE', `/${target}`);
    const asText = { properties: { when: { type: 'text' } } };
    await createTargetIndex(http, { name: target, shards: 2, mappings: asText, settings });
    await button(page, 'Plan again').click();
    await stateOf(page).getByText('Nothing is in the way. 2 things to know before.').waitFor();
    await planOf(page).getByText('An index like the target takes all of them.').waitFor();

    // The target changes after the plan, and the start is refused.
    await asOperator('PUT', `/${target}/_mapping`, { properties: { late: { type: 'long' } } });
    await button(page, 'Review and start').click();
    const question = page.getByRole('dialog', { name: `Start the migration of ${source}?` });
    await question.getByText(`The alias ${source}-a moves from ${source} to ${target}.`).waitFor();
    await question.getByText('target.mapping').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await question.getByRole('button', { name: 'Start the migration' }).click();
    await planOf(page).getByText('since the plan these have changed: the mapping of the target').waitFor();
    await planOf(page).getByText('Nothing was started').waitFor();
    await stateOf(page).getByText('Plan again').waitFor();
    await expect(readStatus(apiUrl, source)).rejects.toThrow('404');

    await button(page, 'Plan again').click();
    await stateOf(page).getByText('Nothing is in the way. 2 things to know before.').waitFor();
    const { worst, shifts } = await readShift(page);
    expect([worst < mostShift, worst < mostShift ? [] : shifts]).toEqual([true, []]);
    await button(page, 'Review and start').click();
    await question.getByRole('button', { name: 'Start the migration' }).click();
    await page.waitForURL(`**/migrations/${source}/**`);
    await waitForPhase(apiUrl, source, ['COMPLETED']);
    const asked = { target_index: target, alias: `${source}-a` };
    expect(plans).toEqual([asked, asked, asked]);
    expect(starts).toEqual([1, 2].map(() => ({ ...asked, plan: expect.any(String) as unknown })));
    await close();
  },
);

test('a plan is cancelled by the keyboard; another form shows no plan of the form before', async () => {
  const source = await makeSource('cancelled');
  await createTargetIndex(tests.environment.http, { name: `${source}-2`, shards: 2 });
  const { page, complaints, close } = await tests.open('/start');
  await fill(page, source);
  await button(page, 'Plan').focus();
  await page.keyboard.press('Enter');
  await stateOf(page).getByText('It may take half a minute').waitFor();
  // The same button ends it, so that the focus stays where it is.
  await page.keyboard.press('Enter');
  await button(page, 'Plan').waitFor();
  await stateOf(page).getByText('A plan makes all checks').waitFor();
  await page.keyboard.press('Enter');
  await stateOf(page).getByText('Nothing is in the way.').waitFor();
  await page.locator('summary').filter({ hasText: 'Options' }).click();
  const tolerance = page.getByLabel('Accepted difference of the document counts');
  await tolerance.fill('7');
  await stateOf(page).getByText('A plan makes all checks').waitFor();
  await planOf(page).getByText('Plan first.').waitFor();
  // A plan of the form that is on its way when the form changes is not shown either.
  await button(page, 'Plan').click();
  await stateOf(page).getByText('It may take half a minute').waitFor();
  await tolerance.fill('-1');
  await tolerance.blur();
  await stateOf(page).getByText('1 field is missing or wrong.').waitFor();
  await planOf(page).getByText('Plan first.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

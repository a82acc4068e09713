import { readFileSync } from 'node:fs';
import { startMigration, waitForPhase } from '@aosc/testkit';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './support/browser';
import { type Environment, startEnvironment } from './support/environment';

jest.setTimeout(900_000);

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const views = ['/', '/start', '/settings', '/state', '/sign-in'];

let environment: Environment;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  environment = await startEnvironment({});
});
afterAll(async () => {
  await browser.close();
  await environment.stop();
});

/** A page, and everything that the browser complained about. */
async function open(path: string, width = 1_280, colorScheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({
    baseURL: environment.apiUrl,
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(path);
  return { page, complaints, close: () => context.close() };
}

/** What axe finds of WCAG 2.2 AA, serious or worse. Sent past the page's policy, which lets no script of others in. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const rules = JSON.stringify({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe};axe.run(document, ${rules}).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value as readonly string[];
}

async function makeSource(name: string, documents: number): Promise<void> {
  const settings = { number_of_shards: 2, number_of_replicas: 0 };
  await environment.http.send({
    method: 'PUT',
    path: `/${name}`,
    body: JSON.stringify({ settings, aliases: { [`${name}-alias`]: {} } }),
  });
  const lines = Array.from({ length: documents }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join(
    '',
  );
  await environment.http.send({ method: 'POST', path: `/${name}/_bulk?refresh=true`, body: lines });
}

test('a migration is started in the form, with a target from the source, and watched to its end', async () => {
  const source = 'page-books';
  await makeSource(source, 500);
  const { page, complaints, close } = await open('/start');
  await page.getByLabel('Source index').fill(source);
  await page.getByLabel('Target index').fill(`${source}-2`);
  await page.getByText('Create the target from the source').click();
  await page.getByLabel('Shards', { exact: true }).fill('4');
  await page.getByRole('button', { name: 'Show the difference' }).click();
  await page.getByText('SPLIT_SHARD').waitFor();
  await page.getByText('settings.index.number_of_shards').waitFor();
  await page.getByRole('button', { name: `Create ${source}-2` }).click();
  await page.getByText(`${source}-2 is created.`).waitFor();
  // The one alias of the source was taken over into the form.
  expect(await page.getByLabel('Alias').inputValue()).toBe(`${source}-alias`);
  await page.getByLabel('doc_count_tolerance').fill('-1');
  await page.getByText('This must be at least 0.').waitFor();
  await page.getByLabel('doc_count_tolerance').fill('');
  await page.getByRole('button', { name: 'Start the migration' }).click();
  await page.getByRole('heading', { name: source }).waitFor();
  await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
  await page.getByText(`The alias ${source}-alias is on ${source}-2.`).waitFor();
  const { body } = await environment.http.send({
    method: 'GET',
    path: '/.aosc-migrations/_search?q=kind:timeline',
  });
  expect(body.toString('utf8')).toContain('"kind":"timeline"');
  await page.getByRole('button', { name: /^Shard 0: Completed/ }).click();
  await page.getByRole('region', { name: 'Shard 0' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a migration is cancelled, after it was said what that means; an error says what to do', async () => {
  const source = 'page-songs';
  await makeSource(source, 10);
  const { page, close } = await open('/start');
  await page.getByLabel('Source index').fill(source);
  await page.getByLabel('Target index').fill('page-nowhere');
  await page.getByLabel('Alias').fill(`${source}-alias`);
  await page.getByRole('button', { name: 'Start the migration' }).click();
  await page.getByText('Nothing was started').waitFor();
  await page.getByText('Create the target first').waitFor();
  // Nothing begins without permits, so that there is time to cancel.
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': '0' });
  await environment.http.send({
    method: 'PUT',
    path: '/page-nowhere',
    body: JSON.stringify({ settings: { number_of_shards: 2 } }),
  });
  await startMigration(environment.apiUrl, { source, target: 'page-nowhere', alias: `${source}-alias` });
  await page.goto(`/migrations/${source}`);
  await page.getByText('so that no shard may begin').waitFor();
  await page.getByRole('button', { name: 'Cancel the migration' }).click();
  await page.getByRole('heading', { name: 'What stays' }).waitFor();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await waitForPhase(environment.apiUrl, source, ['CANCELLED']);
  await page.getByText('which takes writes.').first().waitFor();
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': null });
  await close();
});

test('a profile is chosen, looked at, and applied', async () => {
  const { page, complaints, close } = await open('/settings');
  const profile = page.getByRole('region', { name: 'Writes only, or offline' });
  await profile.getByRole('button', { name: 'Choose this profile' }).click();
  await page.getByRole('button', { name: 'Look at the changes' }).click();
  await page.getByRole('dialog').getByText('aosc.backfill.max_concurrent_per_node').first().waitFor();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await profile.getByText('This is in force.').waitFor();
  await environment.putSettings({ 'aosc.*': null });
  expect(complaints).toEqual([]);
  await close();
});

test('no view has a serious barrier, or is wider than the screen, in either theme and on a phone', async () => {
  const found: unknown[] = [];
  for (const [width, theme] of [
    [1_280, 'light'],
    [390, 'dark'],
  ] as const) {
    for (const path of [...views, '/migrations/page-books', '/migrations/nobody']) {
      const { page, close } = await open(path, width, theme);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const barriers = await findBarriers(page);
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (barriers.length > 0 || over !== 0) found.push({ path, theme, barriers, over });
      await close();
    }
  }
  expect(found).toEqual([]);
});

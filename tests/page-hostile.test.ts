import { randomUUID } from 'node:crypto';
import {
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './support/browser';
import { type Environment, startEnvironment } from './support/environment';
import { findBarriers, findOverflow, visit, widths } from './support/visit-page';

jest.setTimeout(900_000);

/** As long as OpenSearch lets a name be, without a place to break it. */
const longName = 'n'.repeat(250);
/** Read from right to left, with digits and a sign that turns the direction. */
const rightToLeft = 'فهرس-2024-\u202e-abc';
const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

let environment: Environment;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  environment = await startEnvironment({});
  for (const source of [longName, rightToLeft]) {
    await createSourceIndex(environment.http, { name: source, alias: `${source}-a`, shards: 1 });
    await createTargetIndex(environment.http, { name: `${source}-2`, shards: 1 });
    await startMigration(environment.apiUrl, { source, target: `${source}-2`, alias: `${source}-a` });
    await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
  }
});
afterAll(async () => {
  await browser.close();
  await environment.stop();
});

const open = (path: string, width = 1_280) => visit(browser, environment.apiUrl, path, { width });
const isOwned = async (page: Page): Promise<boolean> => (await page.title()).includes('owned');

test.each(widths)('names of any length and direction fit into %i pixels', async (width) => {
  const found: unknown[] = [];
  for (const name of [longName, rightToLeft]) {
    for (const path of ['/', `/migrations/${encodeURIComponent(name)}`]) {
      const { page, complaints, close } = await open(path, width);
      await page.getByText(name).first().waitFor();
      const [over, barriers] = [await findOverflow(page), await findBarriers(page)];
      if (over !== 0 || barriers.length + complaints.length > 0)
        found.push({ path, over, barriers, complaints });
      await close();
    }
  }
  expect(found).toEqual([]);
});

test('what a script or an answer says is shown as text', async () => {
  const source = 'page-markup';
  await createSourceIndex(environment.http, { name: source, alias: `${source}-a`, shards: 1 });
  await createTargetIndex(environment.http, { name: `${source}-2`, shards: 1 });
  const documents = Array.from({ length: 200 }, (_, n) => ({
    id: `${n}-${markup}`,
    source: JSON.stringify({ n, text: markup }),
  }));
  await loadDocuments(environment.http, source, documents);
  const { page, close } = await open(`/start?source=${source}`);
  await page.locator('summary').filter({ hasText: 'Transform' }).click();
  await page.getByLabel('Painless script').fill(`ctx._source.more = ${JSON.stringify(markup)}`);
  await page.getByRole('button', { name: 'Try it on documents of the source' }).click();
  await page.getByRole('insertion').first().waitFor();
  await page.getByLabel('Painless script').fill(`ctx._source[${JSON.stringify(markup)}] = 1`);
  await page.getByRole('button', { name: 'Use an empty index' }).click();
  await page.getByLabel('Target index').fill(`${source}-2`);
  await page.getByLabel('Alias', { exact: true }).fill(`${source}-a`);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByText(`+ ${markup}: 200 documents`).waitFor();
  expect([await isOwned(page), await findOverflow(page)]).toEqual([false, 0]);
  await startMigration(environment.apiUrl, {
    source,
    target: `${source}-2`,
    alias: `${source}-a`,
    transformScript: {
      type: 'inline',
      source: `if (ctx._source.n == 177) { throw new IllegalArgumentException(${JSON.stringify(markup)}); }`,
    },
  });
  await waitForPhase(environment.apiUrl, source, ['FAILED']);
  await page.goto(`/migrations/${source}`);
  await page.getByRole('alert').getByText('onerror').waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await isOwned(page)).toBe(false);
  await close();
});

test.each([
  '/migrations/%E0%A4%A',
  '/migrations/%00',
  '/migrations/..%2f..%2fqueues',
  '/migrations/_all',
  '/migrations/a/a__b__1',
  '/migrations/a/_status',
  `/migrations/a/${'x'.repeat(700)}/report`,
  '/migrations/*',
  `/migrations/${encodeURIComponent(markup)}`,
  `/?q=${encodeURIComponent(markup)}&state=__proto__&sort=constructor`,
  `/?q=${'w'.repeat(4_000)}`,
  `/start?source=${encodeURIComponent(markup)}`,
  `/state?migration=${encodeURIComponent(markup)}`,
])('the address %s leads to a page that works', async (path) => {
  const { page, complaints, close } = await open(path);
  await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await findOverflow(page)).toBe(0);
  expect(await isOwned(page)).toBe(false);
  // The page itself shows an answer of 400 or 404.
  expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
  await page.getByRole('navigation').getByRole('link', { name: 'Migrations' }).click();
  await page.getByRole('heading', { name: 'Migrations' }).waitFor();
  await close();
});

test('the API restarts while the page is open: it says so, and goes on by itself', async () => {
  const { page, close } = await open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await environment.service.api.stop();
  await page.getByText('Not live').waitFor();
  await page.getByText('What is shown may be old.').waitFor();
  // A view that is not there yet can't be read now: that says nothing of another version.
  await page.route('**/assets/settings-view-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'The API does not answer' }).waitFor();
  expect(await page.getByText('another version').count()).toBe(0);
  await page.unroute('**/assets/settings-view-*.js');
  await page.getByRole('link', { name: 'Migrations', exact: true }).click();
  await environment.service.startApi();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('What is shown may be old.').waitFor({ state: 'detached' });
  await close();
});

test('a view that is no longer there, because the API is another version, says what to do', async () => {
  const { page, close } = await open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route('**/assets/settings-view-*.js', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('This view does not work').waitFor();
  await page.getByRole('link', { name: 'Migrations', exact: true }).click();
  await page.getByRole('heading', { name: 'Migrations' }).waitFor();
  await close();
});

test('everything can be reached by keys', async () => {
  const name = `page-keys-${randomUUID()}`;
  await createSourceIndex(environment.http, { name, alias: `${name}-a`, shards: 5 });
  await createTargetIndex(environment.http, { name: `${name}-2`, shards: 5 });
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': '0' });
  await startMigration(environment.apiUrl, { source: name, target: `${name}-2`, alias: `${name}-a` });
  const { page, close } = await open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await press(page, 'Tab', 'Skip to the content');
  await pressUntil(page, 'Tab', name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name }).waitFor();
  await pressUntil(page, 'Tab', 'Cancel the migration');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'What stays' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'What stays' }).waitFor({ state: 'hidden' });
  // The focus is back where it was.
  expect(await focused(page)).toContain('Cancel the migration');
  await pressUntil(page, 'Tab', 'Shard 0');
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toContain('Shard 1');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Shard 1' }).waitFor();
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': null });
  await waitForPhase(environment.apiUrl, name, ['COMPLETED']);
  await close();
});

/** Name or text of what has the focus. */
async function focused(page: Page): Promise<string> {
  const text: unknown = await page.evaluate(
    'document.activeElement.ariaLabel ?? document.activeElement.textContent',
  );
  return String(text);
}

async function press(page: Page, key: string, expected: string): Promise<void> {
  await page.keyboard.press(key);
  expect(await focused(page)).toContain(expected);
}

/** More stops than any page has. */
const mostStops = 120;

async function pressUntil(page: Page, key: string, wanted: string): Promise<void> {
  const seen: string[] = [];
  for (let stop = 0; stop < mostStops; stop += 1) {
    await page.keyboard.press(key);
    const text = await focused(page);
    if (text.includes(wanted)) return;
    seen.push(text.slice(0, 40));
  }
  throw new Error(`${wanted} is not among the stops: ${seen.join(' | ')}`);
}

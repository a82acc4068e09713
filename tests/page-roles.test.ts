import { createSourceIndex, createTargetIndex, startMigration } from '@aosc/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from './support/browser';
import { type Environment, startEnvironment } from './support/environment';
import { type GuardedApi, type Person, people, startGuardedApi } from './support/guarded-api';
import { findBarriers, findOverflow, themes, visit, widths } from './support/visit-page';

jest.setTimeout(900_000);

const sources = ['team-a', 'others-b'] as const;

let environment: Environment;
let guarded: GuardedApi;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  // Nothing begins without permits: there is something to look at as long as the tests take.
  environment = await startEnvironment({ settings: { 'aosc.backfill.max_concurrent_per_node': '0' } });
  guarded = await startGuardedApi(environment);
  // Where a start is tried, and nothing is wrong with it.
  await createSourceIndex(environment.http, { name: 'team-c', alias: 'team-e', shards: 1 });
  for (const name of sources) {
    await createSourceIndex(environment.http, { name, alias: `${name}-alias`, shards: 1 });
    await createTargetIndex(environment.http, { name: `${name}-2`, shards: 1 });
    await startMigration(environment.apiUrl, { source: name, target: `${name}-2`, alias: `${name}-alias` });
  }
});
afterAll(async () => {
  await browser.close();
  await guarded.stop();
  await environment.stop();
});

async function signIn(page: Page, name: Person): Promise<void> {
  const { kind, secret } = people[name];
  if (kind === 'user') {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Password', { exact: true }).fill(secret);
  } else {
    await page.getByRole('button', { name: 'API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill(secret);
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(`${name} (`).waitFor();
}

const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
/** What the page says of why a button can't be pressed; undefined: it can. */
async function obstacleOf(page: Page | Locator, name: string): Promise<string | undefined> {
  const one = button(page, name).first();
  await one.waitFor();
  if ((await one.getAttribute('aria-disabled')) !== 'true') return undefined;
  return (await one.locator('xpath=following-sibling::*').textContent()) ?? '';
}

const go = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

test.each([
  { name: 'ann', width: 390, operate: undefined, admin: undefined },
  { name: 'ann', width: 1_280, operate: undefined, admin: undefined },
  { name: 'olga', width: 390, operate: undefined, admin: /olga has the role operate; this needs admin/ },
  { name: 'olga', width: 1_280, operate: undefined, admin: /olga has the role operate; this needs admin/ },
  { name: 'rita', width: 390, operate: /this needs operate/, admin: /this needs admin/ },
  { name: 'rita', width: 1_280, operate: /this needs operate/, admin: /this needs admin/ },
  { name: 'tim', width: 1_280, operate: undefined, admin: /this needs admin/ },
] as const)(
  '$name signs in at $width pixels, where the address led, and sees what the role may not do',
  async ({ name, width, operate, admin }) => {
    const { page, complaints, close } = await visit(browser, guarded.url, '/migrations/team-a', { width });
    await signIn(page, name);
    await page.getByRole('heading', { name: 'team-a' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await obstacleOf(page, 'Cancel the migration')).toEqual(expectText(operate));
    await go(page, 'Settings');
    expect(await obstacleOf(page, 'Choose this profile')).toEqual(expectText(admin));
    await go(page, 'State');
    const releasing = page.getByRole('region', { name: 'Release leases that migrations have left behind' });
    expect(await obstacleOf(releasing, 'Show what would be done')).toEqual(expectText(admin));
    await go(page, 'Start');
    await page.getByLabel('Source index').fill('team-c');
    await page.getByLabel('Target index').fill('team-d');
    await page.getByLabel('Alias', { exact: true }).fill('team-e');
    expect(await obstacleOf(page, 'Make the target and plan')).toEqual(expectText(operate));
    await page.locator('summary').filter({ hasText: 'Transform' }).click();
    await page.getByLabel('Painless script').fill('ctx._source.n = 1');
    expect(await obstacleOf(page, 'Try it on documents of the source')).toEqual(
      name === 'tim' ? 'Your role needs the permission transform.' : expectText(operate),
    );
    await go(page, 'Migrations');
    await page.getByRole('link', { name: 'team-a', exact: true }).waitFor();
    const others = await page.getByRole('link', { name: 'others-b', exact: true }).count();
    expect(others).toBe(name === 'tim' ? 0 : 1);
    expect(await findOverflow(page)).toBe(0);
    expect(complaints).toEqual([]);
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await close();
  },
);

const expectText = (pattern: RegExp | undefined): unknown =>
  pattern === undefined ? undefined : expect.stringMatching(pattern);

test('wrong credentials are called wrong, and nothing else is said', async () => {
  const { page, close } = await visit(browser, guarded.url, '/');
  await page.getByLabel('Name', { exact: true }).fill('ann');
  await page.getByLabel('Password', { exact: true }).fill('not hers');
  await button(page, 'Sign in').click();
  await page.getByText('That is not right.').waitFor();
  await close();
});

test('a session that ends while something is typed: the person who signs in again finds it as it was', async () => {
  const { page, close } = await visit(browser, guarded.url, '/start');
  await signIn(page, 'olga');
  await page.getByLabel('Source index').fill('team-typed');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.context().clearCookies();
  await guarded.restart();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  // The browser closes it at the second one, and the page opens it again when it learns of that.
  await dialog.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await signIn(page, 'olga');
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Source index').inputValue()).toBe('team-typed');
  await page.getByText('Live', { exact: true }).waitFor();
  await close();
});

test('a session that ends, and another user signs in: nothing of the first is left', async () => {
  const { page, close } = await visit(browser, guarded.url, '/start');
  await signIn(page, 'olga');
  await page.getByLabel('Source index').fill('team-typed');
  await page.context().clearCookies();
  await guarded.restart();
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  await signIn(page, 'rita');
  await page.getByRole('heading', { name: 'Start a migration' }).waitFor();
  await page.waitForFunction('document.querySelector("input")?.value === ""');
  await close();
});

test.each(themes)('no page of a signed-in user has a serious barrier, in %s', async (theme) => {
  const found: unknown[] = [];
  for (const width of widths) {
    const { page, close } = await visit(browser, guarded.url, '/sign-in', { width, theme });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const look = async (path: string): Promise<void> => {
      const [barriers, over] = [await findBarriers(page), await findOverflow(page)];
      if (barriers.length > 0 || over !== 0) found.push({ path, width, barriers, over });
    };
    await look('/sign-in');
    await signIn(page, 'rita');
    for (const path of ['/', '/start', '/settings', '/state', '/migrations/team-a']) {
      await page.goto(path);
      await page.getByText('rita (').waitFor();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await look(path);
    }
    await close();
  }
  expect(found).toEqual([]);
});

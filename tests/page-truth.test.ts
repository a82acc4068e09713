import {
  cancelMigration,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from './support/browser';
import { findFalseClaims, readClaims } from './support/claims';
import { type Environment, startEnvironment } from './support/environment';
import { visit } from './support/visit-page';

jest.setTimeout(900_000);

const noPermits = { 'aosc.backfill.max_concurrent_per_node': '0' } as const;
const permits = { 'aosc.backfill.max_concurrent_per_node': null } as const;

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

/** A source of seven documents under an alias, and empty targets. */
async function make(name: string, targets: readonly string[]): Promise<void> {
  await createSourceIndex(environment.http, { name, alias: `${name}-a`, shards: 2 });
  const documents = Array.from({ length: 7 }, (_, n) => ({ id: `${n}`, source: `{"n":${n}}` }));
  await loadDocuments(environment.http, name, documents);
  for (const target of targets) await createTargetIndex(environment.http, { name: target, shards: 2 });
}

const migrate = (source: string, target: string, alias: string) =>
  startMigration(environment.apiUrl, { source, target, alias });

/** The page of a migration and its report, held to what the cluster says at the same moment. */
async function expectTruth(source: string, id: string, state: 'running' | 'ended'): Promise<void> {
  const base = `/migrations/${source}/${encodeURIComponent(id)}`;
  const paths = state === 'running' ? [base] : [base, `${base}/report`];
  for (const path of paths) {
    const { page, complaints, close } = await visit(browser, environment.apiUrl, path);
    await page.getByText('takes').first().waitFor();
    const claims = readClaims(await textOf(page));
    expect([path, await findFalseClaims(environment.http, claims)]).toEqual([path, []]);
    // Where each of the three is told, the page has said something that can be compared.
    expect(new Set(claims.map(({ about }) => about))).toEqual(new Set(['alias', 'writes', 'documents']));
    expect(complaints).toEqual([]);
    await close();
  }
}

async function textOf(page: Page): Promise<string> {
  return page.locator('main').innerText();
}

test('a running migration', async () => {
  await make('truth-running', ['truth-running-2']);
  await environment.putSettings(noPermits);
  try {
    const id = await migrate('truth-running', 'truth-running-2', 'truth-running-a');
    await expectTruth('truth-running', id, 'running');
  } finally {
    await environment.putSettings(permits);
  }
  await waitForPhase(environment.apiUrl, 'truth-running', ['COMPLETED']);
});

test('a cancelled migration of a source that an earlier one has left blocked', async () => {
  const source = 'truth-cancelled';
  await make(source, [`${source}-2`, `${source}-3`]);
  const first = await migrate(source, `${source}-2`, `${source}-a`);
  await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
  await environment.putSettings(noPermits);
  try {
    const other = { add: { index: source, alias: `${source}-b` } };
    await environment.http.send({
      method: 'POST',
      path: '/_aliases',
      body: JSON.stringify({ actions: [other] }),
    });
    const second = await migrate(source, `${source}-3`, `${source}-b`);
    await cancelMigration(environment.apiUrl, source);
    await waitForPhase(environment.apiUrl, source, ['CANCELLED']);
    await expectTruth(source, second, 'ended');
    const { page, close } = await visit(browser, environment.apiUrl, `/migrations/${source}/${second}`);
    await page.getByText(`takes no writes (the write block of the migration ${first})`).waitFor();
    await close();
  } finally {
    await environment.putSettings(permits);
  }
});

test('a completed migration, and the same after its target was migrated again', async () => {
  const source = 'truth-completed';
  await make(source, [`${source}-2`, `${source}-3`]);
  const first = await migrate(source, `${source}-2`, `${source}-a`);
  await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
  await expectTruth(source, first, 'ended');
  await migrate(`${source}-2`, `${source}-3`, `${source}-a`);
  await waitForPhase(environment.apiUrl, `${source}-2`, ['COMPLETED']);
  await expectTruth(source, first, 'ended');
  const { page, close } = await visit(browser, environment.apiUrl, `/migrations/${source}/${first}`);
  await page.getByText(`on ${source}-3 now, not on ${source}-2`).waitFor();
  await close();
});

test('every migration of a source has its own page, which its row in the list opens', async () => {
  const source = 'truth-rows';
  await make(source, [`${source}-2`, `${source}-3`]);
  await environment.putSettings(noPermits);
  const first = await migrate(source, `${source}-2`, `${source}-a`);
  await cancelMigration(environment.apiUrl, source);
  await waitForPhase(environment.apiUrl, source, ['CANCELLED']);
  await environment.putSettings(permits);
  const second = await migrate(source, `${source}-3`, `${source}-a`);
  await waitForPhase(environment.apiUrl, source, ['COMPLETED']);
  const { page, close } = await visit(browser, environment.apiUrl, `/?q=${source}-2`);
  await page.getByRole('link', { name: source, exact: true }).click();
  await page.getByText(first).waitFor();
  await page.getByText('This migration was cancelled.').waitFor();
  await page.getByRole('link', { name: `${source} has a newer migration` }).click();
  await page.getByText(second).waitFor();
  await page.getByText('This migration has moved the alias').waitFor();
  await close();
});

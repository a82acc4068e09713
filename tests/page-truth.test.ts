import {
  callJson,
  cancelMigration,
  createHttpClient,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import type { Page } from 'playwright-core';
import { findFalseClaims, readClaims } from './support/claims';
import { until } from './support/environment';
import { pauseWorkers } from './support/paused-workers';
import { startPageTests } from './support/page-tests';

jest.setTimeout(900_000);

const tests = startPageTests();

/** A source of seven documents under an alias, and empty targets. */
async function make(name: string, targets: readonly string[]): Promise<void> {
  const { http } = tests.environment;
  await createSourceIndex(http, { name, alias: `${name}-a`, shards: 2 });
  const documents = Array.from({ length: 7 }, (_, n) => ({ id: `${n}`, source: `{"n":${n}}` }));
  await loadDocuments(http, name, documents);
  for (const target of targets) await createTargetIndex(http, { name: target, shards: 2 });
}

const migrate = (
  source: string,
  target: string,
  alias: string,
  more: Pick<Parameters<typeof startMigration>[1], 'options' | 'transformScript'> = {},
) => startMigration(tests.environment.apiUrl, { source, target, alias, ...more });

/** Waits until the cutover of a migration is in a state of its own, beside the phases. */
const untilCutover = (source: string, state: string): Promise<void> =>
  until(`a cutover that is ${state}`, async () => {
    const { cutover } = await callJson(
      createHttpClient([tests.environment.apiUrl]),
      (answer) => answer as { readonly cutover?: { readonly state: string } },
      'GET',
      `/_plugins/_aosc/${source}/_status`,
    );
    return cutover?.state === state;
  });

/** The page of a migration and its report, held to what the cluster says at the same moment. */
async function expectTruth(source: string, id: string, state: 'running' | 'ended'): Promise<void> {
  const base = `/migrations/${source}/${encodeURIComponent(id)}`;
  const paths = state === 'running' ? [base] : [base, `${base}/report`];
  for (const path of paths) {
    const { page, complaints, close } = await tests.open(path);
    await page.getByText('takes').first().waitFor();
    const claims = readClaims(await textOf(page));
    expect([path, await findFalseClaims(tests.environment.http, claims)]).toEqual([path, []]);
    // Where the page speaks of each of the three, it has said something that can be compared.
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
  await tests.whileHeld(async () => {
    const id = await migrate('truth-running', 'truth-running-2', 'truth-running-a');
    await expectTruth('truth-running', id, 'running');
  });
  await waitForPhase(tests.environment.apiUrl, 'truth-running', ['COMPLETED']);
});

test('a cancelled migration of a source that an earlier one has left blocked', async () => {
  const source = 'truth-cancelled';
  await make(source, [`${source}-2`, `${source}-3`]);
  const first = await migrate(source, `${source}-2`, `${source}-a`);
  await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
  await tests.whileHeld(async () => {
    const other = { add: { index: source, alias: `${source}-b` } };
    await tests.environment.http.send({
      method: 'POST',
      path: '/_aliases',
      body: JSON.stringify({ actions: [other] }),
    });
    const second = await migrate(source, `${source}-3`, `${source}-b`);
    await cancelMigration(tests.environment.apiUrl, source);
    await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
    await expectTruth(source, second, 'ended');
    const { page, close } = await tests.open(`/migrations/${source}/${second}`);
    await page.getByText(`takes no writes (the write block of the migration ${first})`).waitFor();
    await close();
  });
});

test('a completed migration, and the same after its target was migrated again', async () => {
  const source = 'truth-completed';
  await make(source, [`${source}-2`, `${source}-3`]);
  const first = await migrate(source, `${source}-2`, `${source}-a`);
  await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
  await expectTruth(source, first, 'ended');
  await migrate(`${source}-2`, `${source}-3`, `${source}-a`);
  await waitForPhase(tests.environment.apiUrl, `${source}-2`, ['COMPLETED']);
  await expectTruth(source, first, 'ended');
  const { page, close } = await tests.open(`/migrations/${source}/${first}`);
  await page.getByText(`on ${source}-3 now, not on ${source}-2`).waitFor();
  await close();
});

test('every migration of a source has its own page, which its row in the list opens', async () => {
  const source = 'truth-rows';
  await make(source, [`${source}-2`, `${source}-3`]);
  const first = await tests.whileHeld(async () => {
    const id = await migrate(source, `${source}-2`, `${source}-a`);
    await cancelMigration(tests.environment.apiUrl, source);
    await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
    return id;
  });
  const second = await migrate(source, `${source}-3`, `${source}-a`);
  await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
  const { page, close } = await tests.open(`/?q=${source}-2`);
  await page.getByRole('link', { name: source, exact: true }).click();
  await page.getByText(first).waitFor();
  await page.getByText('This migration was cancelled.').waitFor();
  await page.getByRole('link', { name: `${source} has a newer migration` }).click();
  await page.getByText(second).waitFor();
  await page.getByText('This migration has moved the alias').waitFor();
  await close();
});

test('a cutover that waits for its approval, and a cancel while it waits', async () => {
  const source = 'truth-postponed';
  await make(source, [`${source}-2`]);
  const id = await migrate(source, `${source}-2`, `${source}-a`, { options: { cutover: 'manual' } });
  await untilCutover(source, 'postponed');
  await expectTruth(source, id, 'running');
  await cancelMigration(tests.environment.apiUrl, source);
  await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
  await expectTruth(source, id, 'ended');
  await expectNoOrders(source, id);
});

test('a cutover that waits for its date', async () => {
  const source = 'truth-window';
  await make(source, [`${source}-2`]);
  const options = { cutover_not_before: '2099-01-01T00:00:00Z' };
  const id = await migrate(source, `${source}-2`, `${source}-a`, { options });
  await untilCutover(source, 'waiting_for_window');
  await expectTruth(source, id, 'running');
  await cancelMigration(tests.environment.apiUrl, source);
  await waitForPhase(tests.environment.apiUrl, source, ['CANCELLED']);
});

test('a failed migration', async () => {
  const source = 'truth-failed';
  await make(source, [`${source}-2`]);
  const transformScript = {
    type: 'inline',
    source: "if (ctx._source.n == 6) { throw new IllegalArgumentException('no six'); }",
  };
  const id = await migrate(source, `${source}-2`, `${source}-a`, { transformScript });
  await waitForPhase(tests.environment.apiUrl, source, ['FAILED']);
  await expectTruth(source, id, 'ended');
  await expectNoOrders(source, id);
});

/** After the end there is nothing to approve or to postpone. */
async function expectNoOrders(source: string, id: string): Promise<void> {
  const { page, close } = await tests.open(`/migrations/${source}/${id}`);
  await page.getByRole('tab', { name: 'Cutover' }).waitFor();
  expect(await page.getByRole('button', { name: /the cutover/ }).count()).toBe(0);
  await close();
}

test('a migration by files, with its attempt of the cutover in the report', async () => {
  const source = 'truth-files';
  await make(source, []);
  const id = await migrate(source, `${source}-2`, `${source}-a`, { options: { copy: 'files' } });
  await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
  await expectTruth(source, id, 'ended');
  const { page, close } = await tests.open(`/migrations/${source}/${id}/report`);
  const attempts = page.getByRole('list', { name: 'Attempts of the cutover' });
  await attempts.getByText('The alias has moved').waitFor();
  await attempts.getByText('Last rounds').waitFor();
  await close();
});

test('an attempt that was undone, and the end of its migration', async () => {
  const { environment } = tests;
  const source = 'truth-undone';
  await make(source, [`${source}-2`]);
  const options = { cutover: 'manual', max_pause_ms: 1_000 };
  const id = await migrate(source, `${source}-2`, `${source}-a`, { options });
  await untilCutover(source, 'postponed');
  const { uuid } = await callJson(
    environment.http,
    (answer) => ({ uuid: (answer as { readonly cluster_uuid: string }).cluster_uuid }),
    'GET',
    '/',
  );
  const goOn = await pauseWorkers(environment, uuid, async () => {
    await callJson(
      createHttpClient([environment.apiUrl]),
      (answer) => answer,
      'POST',
      `/_plugins/_aosc/${source}/_cutover`,
      {},
    );
    await untilCutover(source, 'backing_off');
  });
  await expectTruth(source, id, 'running');
  const { page, close } = await tests.open(`/migrations/${source}/${id}`);
  await page.getByRole('tab', { name: 'Cutover' }).click();
  await page.getByText('Undone, writes went on').first().waitFor();
  await close();
  await cancelMigration(environment.apiUrl, source);
  await goOn();
  await waitForPhase(environment.apiUrl, source, ['CANCELLED']);
  await expectTruth(source, id, 'ended');
  await expectNoOrders(source, id);
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ApiError, createAoscClient } from '@aosc/client';
import {
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  sendChecked,
  waitForPhase,
} from '@aosc/testkit';
import { startPageTests } from './support/page-tests';

jest.setTimeout(900_000);

const tests = startPageTests();
const [source, target, alias, typo] = ['typo-1', 'typo-2', 'typo-real', 'typo-reel'];
const request = { target_index: target, alias: typo };
const refused =
  `alias [${typo}] is not on source index [${source}], whose aliases are [${alias}, ${alias}-b] ` +
  `-> did you mean [${alias}]?`;
const main = join(__dirname, '../apps/cli/dist/main.js');

const client = () => createAoscClient({ url: tests.environment.apiUrl });

function aosc(args: readonly string[]): Promise<{ readonly code: number; readonly err: string }> {
  const env = { PATH: process.env['PATH'], AOSC_CONFIG: '/nowhere', AOSC_API_URL: tests.environment.apiUrl };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, err }),
    );
  });
}

/** What an application gets when it writes by the name that it uses. */
async function write(): Promise<number> {
  const { status } = await tests.environment.http.send({
    method: 'POST',
    path: `/${alias}/_doc`,
    body: '{"a":1}',
  });
  return status;
}

beforeAll(async () => {
  const { http } = tests.environment;
  await createSourceIndex(http, { name: source, alias, shards: 1 });
  const actions = [{ add: { index: source, alias: `${alias}-b` } }];
  await http.send({ method: 'POST', path: '/_aliases', body: JSON.stringify({ actions }) });
  await createTargetIndex(http, { name: target, shards: 1 });
  await loadDocuments(http, source, [{ id: '1', source: '{"a":1}' }]);
});

describe('a typo in the alias starts nothing, and applications go on writing', () => {
  afterEach(async () => {
    const { migrations } = await client().list();
    expect(migrations.filter(({ source_index: of }) => of === source)).toEqual([]);
    expect(await write()).toBe(201);
  });

  test('at the API', async () => {
    const { status, body } = await sendChecked(tests.environment.apiUrl, `/_plugins/_aosc/${source}/_start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(refused)]);
  });

  test('in the client, also as a dry run', async () => {
    const asks = [() => client().start(source, request), () => client().checkStart(source, request)];
    for (const ask of asks) {
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).reason).toContain(refused);
    }
  });

  test('in the command line, which asks before it creates the alias', async () => {
    const args = ['start', source, target, '--alias', typo];
    for (const more of [[], ['--dry-run']]) {
      expect(await aosc([...args, ...more])).toEqual({
        code: 3,
        err: expect.stringContaining(refused) as string,
      });
    }
    const unasked = await aosc([...args, '--create-alias']);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
  });

  test('in the page, which says what happens to applications', async () => {
    const { page, close } = await tests.open('/start');
    await page.getByLabel('Source index').fill(source);
    await page.getByRole('button', { name: 'Use an empty index' }).click();
    await page.getByLabel('Target index').fill(target);
    await page.getByLabel('Alias', { exact: true }).fill(typo);
    await page.getByRole('button', { name: 'Review and start' }).click();
    await page.getByText(`This is not on ${source}, whose aliases are ${alias}, ${alias}-b.`).waitFor();
    await page.getByText(`Applications that use ${source}, ${alias}, ${alias}-b are not moved`).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });
});

test('aliases that stay on the source are named by the answer, and by the page while the migration runs', async () => {
  await tests.whileHeld(async () => {
    const { aliases_left_behind: left } = await client().start(source, { target_index: target, alias });
    expect(left).toEqual([`${alias}-b`]);
    const { page, close } = await tests.open(`/migrations/${source}`);
    await page.getByText(`${alias}-b stays on ${source}, which takes no writes after the swap.`).waitFor();
    await close();
  });
  await waitForPhase(tests.environment.apiUrl, source, ['COMPLETED']);
});

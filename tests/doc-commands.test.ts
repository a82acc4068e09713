import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { findFreePorts, startStack, waitUntil } from '@aosc/local-stack';
import {
  callJson,
  callRaw,
  createHttpClient,
  deleteIndices,
  sendChecked,
  type StatusDocument,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { listPages } from './support/list-pages';
import {
  type Addresses,
  hasRun,
  readCommands,
  runBlocks,
  runProcesses,
  type Running,
} from './support/page-commands';

/*
 * The commands of the pages, run as a reader runs them. The last test finds the blocks that no test here has run: each
 * of them has a reason in `runElsewhere`. A unit test of apps/docs holds all of them to the project without a server.
 */

jest.setTimeout(600_000);

const [source, target, back] = ['cities-v1', 'cities-v2', 'cities-v3'];

/** Pages whose blocks can't be run here, by a text that the block has, and what holds them instead. */
const runElsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm run demo': 'the demo has a test of its own',
    'docker compose': 'no container engine here; docker/docker.test.ts reads the file',
  },
  'bench/README.md': { 'npm run bench': 'hours of measuring' },
  'deploy/helm/aosc/README.md': {
    'helm install': 'no Kubernetes here; deploy/helm.test.ts renders the chart',
  },
  'docker/README.md': {
    'docker build': 'no container engine here; docker/check.mjs carries the steps out',
    'docker compose': 'no container engine here; docker/docker.test.ts reads the file',
    'sbom.mjs': 'docker/sbom.test.ts',
  },
  'docs/how-to/break-glass.md': { '': 'tests/break-glass.test.ts' },
  'docs/how-to/more-shards-in-a-minute.md': {
    'curl -X POST': 'the same start as by the command line, which runs here',
  },
  'docs/reference/set-aside.md': {
    '--accept-set-aside': 'tests/set-aside.test.ts: a digest is of its documents',
  },
  'docs/how-to/monitor.md': {
    promtool: 'packages/telemetry runs it where promtool is installed',
    AOSC_TRACES_OTLP_URL: 'tests/traces.test.ts',
  },
  'docs/how-to/run-on-kubernetes.md': {
    kubectl: 'no Kubernetes here; deploy/helm.test.ts renders the chart',
    helm: 'no Kubernetes here; deploy/helm.test.ts renders the chart',
  },
  'docs/operations/redis.md': { SETUSER: 'packages/queue/src/redis-least-rights.integration.test.ts' },
};

let environment: Environment;
let addresses: Addresses;
beforeAll(async () => {
  environment = await startEnvironment();
  const { urls, apiUrl, stack } = environment;
  addresses = { openSearch: urls[0] ?? '', api: apiUrl, redis: stack.redisUrl };
});
afterAll(() => environment.stop());
afterEach(() => deleteIndices(environment.http, [source, target, back]));

const parseCount = createParser('answer of _count', Type.Object({ count: Type.Integer() }));
const parseAliases = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

/** The block that has the text. @throws Error unless exactly one has it */
function blockWith(page: string, text: string): string {
  const found = readCommands(page).filter((block) => block.includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} have ${text}`);
  return block;
}

/** Waits, as a reader does, for the line that says that Ctrl-C ends it, and takes the addresses above it. */
async function readAddresses({ signal, printed }: Running): Promise<Addresses> {
  await waitUntil(() => Promise.resolve(printed().includes('Ctrl-C')), {
    what: 'the addresses of the stack',
    timeoutMs: 240_000,
    endedBy: [signal],
    details: printed,
  });
  const find = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(printed())?.[1] ?? '';
  return { openSearch: find('OpenSearch'), api: find('API'), redis: find('Redis') };
}

async function followTutorial(
  own: Addresses,
  [variables = '', ...steps]: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const http = createHttpClient([own.openSearch]);
  try {
    const started = steps.findIndex((block) => block.includes('_start'));
    const watched = steps.findIndex((block) => block.includes('_status'));
    expect([started, watched, steps.length]).toEqual([2, 4, 6]);
    const before = await runBlocks([variables, ...steps.slice(0, started + 1)], own);
    expect(before).toContain('"accepted":true');
    await runBlocks([variables, ...steps.slice(started + 1, watched + 1)], own);
    await waitForPhase(own.api, source, ['COMPLETED'], { signal });
    // What was written after the swap is found after the next refresh.
    const countCities = () => callJson(http, parseCount, 'GET', '/cities/_count', undefined, signal);
    await waitUntil(async () => (await countCities()).count === 5, {
      what: 'the documents that the page names',
      timeoutMs: 60_000,
      endedBy: [signal],
    });
    const after = await runBlocks([variables, ...steps.slice(watched + 1)], own);
    expect(after).toMatch(/^cities +cities-v2 /m);
    expect(after).toContain('written meanwhile');
    expect(after).not.toContain('city 1');
  } finally {
    http.close();
  }
}

test('the tutorial, from the first command to Ctrl-C', async () => {
  const [start = '', ...blocks] = readCommands('docs/tutorial/first-migration.md');
  expect(start.trim()).toBe('npm run stack');
  const env = { AOSC_API_PORT: String(await freePort()) };
  const printed = await runProcesses(start, { addresses, env, endedWith: 'SIGINT' }, async (running) => {
    await followTutorial(await readAddresses(running), blocks, running.signal);
  });
  expect(printed.trimEnd().endsWith('stopping')).toBe(true);
});

test('another shard count, watched, cancelled, and begun again', async () => {
  const { http, apiUrl } = environment;
  const tutorial = 'docs/tutorial/first-migration.md';
  const shards = 'docs/how-to/change-the-shard-count.md';
  const [, variables = ''] = readCommands(tutorial);
  await runBlocks([variables, blockWith(tutorial, '"$OS/cities-v1"')], addresses);
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': '0' });
  await runBlocks([blockWith(shards, '_create_target'), blockWith(shards, '_start')], addresses);
  const seen = await runBlocks([blockWith('docs/how-to/run-a-migration.md', '_list')], addresses);
  expect(seen).toContain('"phase":"ACTIVE"');
  const [cancel = '', look = '', remove = ''] = readCommands('docs/how-to/cancel-and-recover.md');
  const cancelled = await runBlocks([cancel, look], addresses);
  expect(cancelled).toContain('\nCANCELLED\n');
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': null });
  await runBlocks([remove, blockWith(shards, '_create_target'), blockWith(shards, '_start')], addresses);
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  expect(Object.keys(await callJson(http, parseAliases, 'GET', '/_alias/cities'))).toEqual([target]);
});

/** What a reader has who comes from the tutorial: the source with its alias and documents, and the empty target. */
async function takeTutorialsIndices(): Promise<void> {
  const tutorial = 'docs/tutorial/first-migration.md';
  const [, variables = ''] = readCommands(tutorial);
  const indices = [`"$OS/${source}"`, '_create_target'].map((words) => blockWith(tutorial, words));
  await runBlocks([variables, ...indices], addresses);
}

test('the README, only by the command line', async () => {
  const tutorial = 'docs/tutorial/first-migration.md';
  const [, variables = ''] = readCommands(tutorial);
  await runBlocks([variables, blockWith(tutorial, '"$OS/cities-v1"')], addresses);
  const printed = await runBlocks([blockWith('README.md', 'aosc start')], addresses);
  expect(printed).toContain('created cities-v2 from cities-v1');
  expect(printed).toMatch(/ COMPLETED \[.*\] copied=5\/5 /);
  expect(Object.keys(await callJson(environment.http, parseAliases, 'GET', '/_alias/cities'))).toEqual([
    target,
  ]);
});

test('"run a migration": prepared, started, watched, cancelled', async () => {
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': '0' });
  await takeTutorialsIndices();
  const page = 'docs/how-to/run-a-migration.md';
  const doctor = await runBlocks([blockWith(page, '_aliases'), blockWith(page, 'aosc doctor')], addresses);
  expect(doctor).toMatch(/^0 failed/m);
  const requests = ['_start', '_status', '_cancel'].map((name) => blockWith(page, name));
  expect(await runBlocks(requests, addresses)).toContain('"accepted":true');
  await waitForPhase(environment.apiUrl, source, ['CANCELLED']);
  await environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': null });
});

test('a cutover that waits is approved as its page says', async () => {
  const { http, apiUrl } = environment;
  await takeTutorialsIndices();
  const page = 'docs/how-to/choose-the-moment.md';
  await runBlocks([blockWith(page, '_start')], addresses);
  await waitForPhase(apiUrl, source, ['PREPARING_TARGET']);
  expect(Object.keys(await callJson(http, parseAliases, 'GET', '/_alias/cities'))).toEqual([source]);
  expect(await runBlocks([blockWith(page, '_cutover')], addresses)).toContain('"accepted":true');
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  expect(Object.keys(await callJson(http, parseAliases, 'GET', '/_alias/cities'))).toEqual([target]);
});

test('a transform changes the documents as its page says', async () => {
  const { http, apiUrl } = environment;
  await takeTutorialsIndices();
  await runBlocks([blockWith('docs/how-to/transform-documents.md', '_start')], addresses);
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  await callRaw(http, { method: 'POST', path: `/${target}/_refresh` });
  const { count } = await callJson(http, parseCount, 'GET', `/${target}/_count?q=name_length:12`);
  expect(count).toBe(5);
});

test('slowed down, and as it was before', async () => {
  const blocks = readCommands('docs/how-to/slow-down-or-stop.md');
  expect(blocks).toHaveLength(2);
  const printed = await runBlocks(blocks, addresses);
  expect(printed).toMatch(/max_concurrent_per_node +2 +-> +1\n/);
  expect(printed).toContain('nothing was changed');
  const parseSettings = createParser('settings', Type.Object({ persistent: Type.Object({}) }));
  const left = await sendChecked(environment.apiUrl, '/_cluster/settings?flat_settings=true', {});
  expect(parseSettings(left.body).persistent).toEqual({});
});

test('back after a swap, with what was written since; or at once, without it', async () => {
  const { http, apiUrl } = environment;
  await takeTutorialsIndices();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ target_index: target, alias: 'cities' });
  await sendChecked(apiUrl, `/_plugins/_aosc/${source}/_start`, { method: 'POST', headers, body });
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  await callJson(http, (value) => value, 'PUT', '/cities/_doc/later', { name: 'written after the swap' });
  const [create = '', migrate = '', look = '', atOnce = ''] = readCommands('docs/how-to/go-back.md');
  const printed = await runBlocks([create, migrate, look], addresses);
  expect(printed).toContain(`would create ${back} from ${source}`);
  expect(printed).toMatch(/^cities +cities-v3 /m);
  const holders = async () => Object.keys(await callJson(http, parseAliases, 'GET', '/_alias/cities'));
  expect(await holders()).toEqual([back]);
  await callJson(http, (value) => value, 'GET', '/cities/_doc/later');
  await runBlocks([atOnce], addresses);
  expect(await holders()).toEqual([source]);
  // The same right after the first swap, by a reader who takes no other way back.
  const actions = [source, target].map((index) => ({
    [index === source ? 'remove' : 'add']: { index, alias: 'cities' },
  }));
  await callJson(http, (value) => value, 'POST', '/_aliases', { actions });
  await runBlocks([atOnce], addresses);
  expect(await holders()).toEqual([source]);
  await callJson(http, (value) => value, 'PUT', '/cities/_doc/again', { name: 'takes writes' });
});

const ignoreAnswer = (value: unknown) => value;

test('a plan, as its page asks for it', async () => {
  await takeTutorialsIndices();
  const printed = await runBlocks(readCommands('docs/reference/plan.md'), addresses);
  expect(printed).toContain('"plan_id"');
  expect(printed).toMatch(/^Plan: \d+ fine/m);
});

test('a rehearsal, more shards by files, and a verification, as their pages say', async () => {
  const { http, apiUrl } = environment;
  const settings = { number_of_shards: 2, number_of_routing_shards: 16, number_of_replicas: 0 };
  const aliases = { shelf: {}, 'books-alias': {} };
  await callJson(http, ignoreAnswer, 'PUT', '/books', { settings, aliases });
  for (let n = 0; n < 5; n++) await callJson(http, ignoreAnswer, 'PUT', `/books/_doc/${n}`, { title: 'a' });
  const rehearse = 'docs/reference/rehearse.md';
  const again = blockWith(rehearse, 'create-target');
  await callJson(http, ignoreAnswer, 'PUT', '/books2', { settings });
  expect(await runBlocks([blockWith(rehearse, '--rehearse')], addresses)).toContain('without a difference');
  expect(await runBlocks([again], addresses)).toContain('created books2 from books');
  await deleteIndices(http, ['books2']);
  await runBlocks([blockWith('docs/how-to/more-shards-in-a-minute.md', '--copy files')], addresses);
  await waitForPhase(apiUrl, 'books', ['COMPLETED']);
  expect(Object.keys(await callJson(http, parseAliases, 'GET', '/_alias/shelf'))).toEqual(['books2']);
  const verified = await runBlocks([blockWith('docs/reference/verify.md', 'aosc verify')], addresses);
  expect(verified).toContain('no differences');
  await deleteIndices(http, ['books', 'books2']);
});

test('documents that were set aside are taken when the mapping was changed, as the page says', async () => {
  const { http, apiUrl } = environment;
  const page = 'docs/reference/set-aside.md';
  const settings = { number_of_replicas: 0 };
  await callJson(http, ignoreAnswer, 'PUT', '/books-v1', { settings, aliases: { books: {} } });
  await callJson(http, ignoreAnswer, 'PUT', '/books-v1/_doc/1?refresh=true', { note: 'refused' });
  await callJson(http, ignoreAnswer, 'PUT', '/books-v2', { settings, mappings: { dynamic: 'strict' } });
  await runBlocks([blockWith(page, '--on-document-error')], addresses);
  const isKept = ({ set_aside: aside }: StatusDocument): boolean => aside?.count === 1;
  await waitForStatus(apiUrl, 'books-v1', isKept, 'a document that is set aside');
  await runBlocks([blockWith(page, '--retry')], addresses);
  await waitForPhase(apiUrl, 'books-v1', ['COMPLETED']);
  await callJson(http, ignoreAnswer, 'GET', '/books-v2/_doc/1');
  await deleteIndices(http, ['books-v1', 'books-v2']);
});

test('what is tried without creating anything', async () => {
  await takeTutorialsIndices();
  await deleteIndices(environment.http, [target]);
  for (const page of ['docs/how-to/change-a-mapping.md', 'docs/reference/create-target.md']) {
    const answer = await runBlocks([blockWith(page, 'dry_run=true')], addresses);
    expect(answer).toContain('"dry_run":true');
  }
  await expect(callJson(environment.http, parseAliases, 'GET', `/${target}`)).rejects.toThrow(/404/);
});

test('the doctor examines both servers', async () => {
  await takeTutorialsIndices();
  const said = await runBlocks([blockWith('docs/how-to/use-a-managed-service.md', 'doctor')], addresses);
  expect(said).toMatch(/OpenSearch/);
});

test('both profiles of the load are taken', async () => {
  const blocks = readCommands('docs/how-to/tune-the-load.md');
  expect(blocks).toHaveLength(2);
  for (const block of blocks) {
    expect(await runBlocks([block], addresses)).toContain('"acknowledged":true');
  }
});

test('hashes of a password and of a new key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aosc-hashes-'));
  try {
    await symlink(join(__dirname, '../scripts'), join(folder, 'scripts'));
    await writeFile(join(folder, 'password.txt'), 's3cret-enough\n');
    const hashes = await runBlocks(readCommands('docs/how-to/secure-the-api.md'), addresses, folder);
    expect(hashes).toMatch(/^scrypt\$/m);
    expect(hashes).toMatch(/^sha256\$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const processes: readonly string[] = ['api', 'scheduler', 'worker'];

/** Those whose logs say this. */
const processesThat = (event: 'started' | 'stopped', printed: string) =>
  processes.filter((app) =>
    printed
      .split('\n')
      .some((line) => line.includes(`"app":"${app}"`) && line.includes(`"process_${event}"`)),
  );

test('the processes start and end as the pages say', async () => {
  const stack = await startStack();
  try {
    const port = await freePort();
    const own = {
      openSearch: stack.openSearchUrls[0] ?? '',
      redis: stack.redisUrl,
      api: `http://127.0.0.1:${port}`,
    };
    for (const page of ['README.md', 'docs/how-to/run-a-migration.md']) {
      const block = blockWith(page, 'npm run worker');
      // It would take the packages from under the tests; a new clone's `npm run demo` does both.
      const options = {
        leftOut: 'npm ci && npm run build',
        addresses: own,
        env: { AOSC_API_PORT: String(port) },
      };
      const printed = await runProcesses(block, options, async (running) => {
        await untilReady(own.api, running.signal);
        // The API does not wait for the others, which may be a while behind it.
        await waitUntil(
          () => Promise.resolve(processesThat('started', running.printed()).length === processes.length),
          { what: 'the scheduler and the worker', timeoutMs: 120_000, endedBy: [running.signal] },
        );
      });
      expect(processesThat('started', printed)).toEqual(processes);
      expect(processesThat('stopped', printed)).toEqual(processes);
    }
    const [further = ''] = readCommands('docs/how-to/scale-workers.md');
    const env = { AOSC_OPENSEARCH_URL: own.openSearch, AOSC_REDIS_URL: own.redis };
    const printed = await runProcesses(further, { addresses: own, env }, (running) =>
      waitUntil(() => Promise.resolve(processesThat('started', running.printed()).includes('worker')), {
        what: 'a further worker',
        timeoutMs: 120_000,
        endedBy: [running.signal],
      }),
    );
    expect(processesThat('stopped', printed)).toEqual(['worker']);
  } finally {
    await stack.stop();
  }
});

async function untilReady(api: string, signal: AbortSignal): Promise<void> {
  const isReady = async () => (await sendChecked(api, '/readyz', { signal })).status === 200;
  await waitUntil(() => isReady().catch(() => false), {
    what: 'the API to be ready',
    timeoutMs: 120_000,
    endedBy: [signal],
  });
}

async function freePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  if (port === undefined) throw new Error('no free port');
  return port;
}

test('each block of each page is run here, or has a reason', () => {
  const left: string[] = [];
  const idle: string[] = [];
  for (const page of listPages()) {
    const reasons = runElsewhere[page] ?? {};
    const blocks = readCommands(page);
    const told = (block: string) => Object.keys(reasons).some((text) => block.includes(text));
    left.push(
      ...blocks.filter((block) => !hasRun(block) && !told(block)).map((block) => `${page}:\n${block}`),
    );
    idle.push(
      ...Object.keys(reasons).filter(
        (text) => !blocks.some((block) => block.includes(text) && !hasRun(block)),
      ),
    );
  }
  expect({ left, idle }).toEqual({ left: [], idle: [] });
});

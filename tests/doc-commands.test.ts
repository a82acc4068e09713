import { createParser } from '@aosc/contract';
import { waitUntil } from '@aosc/local-stack';
import { callJson, deleteIndices, waitForPhase } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { type Addresses, readCommands, runBlocks } from './support/page-commands';

/*
 * The commands of the pages, run as a reader runs them. break-glass.md has a test of its own; apps/docs holds the
 * commands of all other pages to the project without running them.
 */

jest.setTimeout(600_000);

const [source, target] = ['cities-v1', 'cities-v2'];

let environment: Environment;
let addresses: Addresses;
beforeAll(async () => {
  environment = await startEnvironment();
  addresses = { openSearch: environment.urls[0] ?? '', api: environment.apiUrl };
});
afterAll(() => environment.stop());
afterEach(() => deleteIndices(environment.http, [source, target]));

const parseCount = createParser('answer of _count', Type.Object({ count: Type.Integer() }));
const parseAliases = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

/** The block that has the text. @throws Error unless there is one of them alone */
function blockWith(page: string, text: string): string {
  const found = readCommands(page).filter((block) => block.includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} have ${text}`);
  return block;
}

test('the tutorial, from the first command to the last', async () => {
  const { http, apiUrl } = environment;
  const blocks = readCommands('docs/tutorial/first-migration.md');
  const [start = '', variables = '', ...steps] = blocks;
  expect(start.trim()).toBe('npm run stack');
  const started = steps.findIndex((block) => block.includes('_start'));
  const watched = steps.findIndex((block) => block.includes('_status'));
  expect([started, watched, steps.length]).toEqual([2, 4, 6]);
  const before = await runBlocks([variables, ...steps.slice(0, started + 1)], addresses);
  expect(before).toContain('"accepted":true');
  await runBlocks([variables, ...steps.slice(started + 1, watched + 1)], addresses);
  await waitForPhase(apiUrl, source, ['COMPLETED']);
  // What was written after the swap is found after the next refresh.
  await waitUntil(async () => (await callJson(http, parseCount, 'GET', '/cities/_count')).count === 5, {
    what: 'the documents that the page names',
    timeoutMs: 60_000,
    endedBy: [],
  });
  const after = await runBlocks([variables, ...steps.slice(watched + 1)], addresses);
  expect(after).toMatch(/^cities +cities-v2 /m);
  expect(after).toContain('written meanwhile');
  expect(after).not.toContain('city 1');
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

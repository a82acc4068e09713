import { execFileSync } from 'node:child_process';
import {
  createTargetCommand,
  curlCommand,
  setCommand,
  startCommand,
} from '../../dashboard/src/explain/commands';
import { useApi } from './__tests__/use-api';

const run = useApi();
const elsewhere = 'http://127.0.0.1:1';

/** The words of a command as a shell passes them on. */
function wordsOf(command: string): readonly string[] {
  const script = `aosc() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** @returns method, path and body that the command line sends for a command that the page shows */
async function sent(command: string): Promise<readonly [string, unknown]> {
  const words = wordsOf(command);
  // The API of the test comes from the environment.
  const args = words.filter((word, at) => word !== '--url' && words[at - 1] !== '--url');
  expect(words).toContain(elsewhere);
  const settings = { body: { persistent: {}, transient: {} } };
  const { seen } = await run(args, (what) => (what.startsWith('GET') ? settings : { status: 400, body: {} }));
  const [changing, ...others] = seen.filter(({ what }) => !what.startsWith('GET'));
  expect(others).toEqual([]);
  return [changing?.what ?? '', JSON.parse(changing?.body ?? 'null')];
}

test('the start that the page shows is the one that it sends', async () => {
  const body = {
    target_index: 'b',
    alias: "it's",
    transform_script: { type: 'inline', source: "ctx._source.x = 'a $HOME';\n", params: { p: [1, 'ü'] } },
    options: {
      convergence_threshold_per_shard: 7,
      max_convergence_rounds_per_shard: 8,
      doc_count_tolerance: 9,
      target_ready_timeout_seconds: 90,
      validation_query: { term: { a: 'b c' } },
      accept_data_loss_if_custom_routing_is_used: true,
      remove_source_write_block_on_success: true,
      transient_target_settings: { 'index.number_of_replicas': '0', 'index.codec': null },
    },
  } as const;
  expect(await sent(startCommand(elsewhere, 'a', body))).toEqual(['POST /_plugins/_aosc/a/_start', body]);
});

test('a stored script is named, and what is off is left out', async () => {
  const body = { target_index: 'b', alias: 'c', transform_script: { type: 'stored', id: 's 1' } } as const;
  const options = { remove_source_write_block_on_success: false };
  const [, asked] = await sent(startCommand(elsewhere, 'a', { ...body, options }));
  expect(asked).toEqual(body);
});

test('a form that is not filled in yet shows where the names go', () => {
  expect(wordsOf(startCommand(elsewhere, '', {})).slice(0, 3)).toEqual(['start', 'source', 'target']);
});

test('the target that the page shows is the one that it asks for', async () => {
  const body = {
    target_index: 'b',
    number_of_shards: 4,
    settings: { 'index.sort.field': ['a', 'b'], 'index.codec': null },
    mappings: { properties: { "o'clock": { type: 'keyword' } } },
  };
  expect(await sent(createTargetCommand(elsewhere, 'a', body))).toEqual([
    'POST /_plugins/_aosc/a/_create_target?dry_run=false',
    body,
  ]);
});

test('settings: a value, and a default', async () => {
  const [what, body] = await sent(
    setCommand(elsewhere, [
      ['aosc.scheduler.interval', '5s'],
      ['aosc.x', null],
    ]),
  );
  expect(what).toBe('PUT /_cluster/settings?flat_settings=true');
  expect(body).toEqual({ persistent: { 'aosc.scheduler.interval': '5s', 'aosc.x': null } });
});

test('curl gets every text as it is', () => {
  const command = curlCommand(elsewhere, 'POST', '/p', { a: "it's" }).replace('curl', 'aosc');
  expect(wordsOf(command).slice(0, 3)).toEqual(['-X', 'POST', `${elsewhere}/p`]);
  expect(JSON.parse(wordsOf(command).at(-1) ?? '')).toEqual({ a: "it's" });
});

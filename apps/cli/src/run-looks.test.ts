import { parse, parseAllDocuments } from 'yaml';
import { createShard, createStatus } from './__tests__/create-status';
import { useApi } from './__tests__/use-api';

const run = useApi();
const status = createStatus('ACTIVE', [createShard('CONVERGED')]);
const points = {
  at_millis: [1, 2],
  phase: ['ACTIVE', 'ACTIVE'],
  documents_indexed: [10, 30],
  documents_per_second: [10, 30],
  bytes_per_second: [1000, 3000],
  gap: [4, null],
  batch_bytes: [1, 1],
  concurrency: [1, 1],
  pauses: [0, 2],
};
const detail = {
  migration_id: 'm',
  source_index: 'a',
  shard: 0,
  phase: 'BACKFILLING',
  owner: { id: 'o', process: 'host:12', heartbeat_at_millis: 9000 },
  owners_lost: 1,
  epoch: 2,
  primary: { node_id: 'n1', state: 'STARTED' },
  snapshots: [],
  snapshots_to_close: 0,
  snapshots_lost: 0,
  transition_history: [],
};
const look = (what: string) => {
  if (what.includes('_timeline')) return { body: { migration_id: 'm', source_index: 'a', points } };
  return { body: what.includes('_shards') ? detail : status };
};

test('describe shows facts, options, phases, figures over time and shards', async () => {
  const { code, out, seen } = await run(['describe', 'a'], look);
  expect([code, seen.length]).toEqual([0, 2]);
  expect(out).toContain('Facts:\n  id         a__b__0\n  started    1970-01-01T00:00:00Z, 10s ago\n');
  expect(out).toMatch(/doc_count_tolerance +0\n/);
  expect(out).toContain('Phases:\n  1970-01-01T00:00:00Z  ACTIVE  for 10s\n');
  expect(out).toMatch(/documents\/s +20 +30\n +bytes\/s +2\.0 kB +3\.0 kB\n +gap +4 +4\n/);
  expect(out).toMatch(/SHARD +PHASE .*\n +0 +CONVERGED +100%/);
});

test('describe shows each attempt of the cutover by its steps', async () => {
  const cutover = {
    state: 'backing_off',
    attempts: [
      {
        started_millis: 0,
        outcome: 'put_off',
        reason: 'a gap has grown',
        steps: { before_block_ms: 1200 },
      },
      {
        started_millis: 1000,
        outcome: 'undone',
        write_hold_ms: 250,
        blocked_ms: 50,
        reason: 'it took longer than max_pause_ms',
        steps: { before_block_ms: 10, confirm_ms: 300 },
      },
    ],
  };
  const { out } = await run(['describe', 'a'], (what) =>
    what.includes('_timeline') ? look(what) : { body: { ...status, cutover } },
  );
  expect(out).toContain(`Cutover:
  1970-01-01T00:00:00Z  put off: before writers were stopped 1.20s
    a gap has grown
  1970-01-01T00:00:01Z  undone: before writers were stopped 0.01s, until no write ran 0.30s, writes waited 0.25s, writes refused 0.05s
    it took longer than max_pause_ms
`);
});

test('describe --shard shows who works on it', async () => {
  const { out } = await run(['describe', 'a', '--shard', '0'], look);
  expect(out).toContain('worker          host:12, last sign of life 1s ago');
  expect(out).toContain('primary         STARTED on n1');
});

test('-o json is --json, and -o yaml is the same value', async () => {
  const json = await run(['describe', 'a', '-o', 'json'], look);
  const yaml = await run(['describe', 'a', '-o', 'yaml'], look);
  expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
  expect((await run(['status', 'a', '--json'], look)).out).toBe(
    (await run(['status', 'a', '--output', 'json'], look)).out,
  );
});

test('an unknown format is a wrong command line, and an error has the format that was asked for', async () => {
  expect((await run(['list', '-o', 'xml'], look)).code).toBe(2);
  const { err } = await run(['cancel', 'a', '--yes', '-o', 'yaml'], () => ({ status: 400, body: {} }));
  expect(parseAllDocuments(err)[0]?.toJS()).toMatchObject({ error: { exit_code: 3 } });
});

const item = {
  migration_id: 'a__b__0',
  source_index: 'a',
  target_index: 'b',
  alias: 'al',
  phase: 'FAILED',
  start_time_millis: 0,
  last_updated_millis: 1,
  error_message: `a long reason, ${'and so on, '.repeat(20)}`,
  shards_by_phase: { FAILED: 2 },
  is_terminal: true,
  shard_count: 2,
  elapsed_seconds: 3,
};

test('list has a short note, and -o wide the whole one with the id', async () => {
  const body = { migrations: [item], truncated: false, active_count: 0 };
  const short = (await run(['list'], () => ({ body }))).out.split('\n')[1] ?? '';
  expect(short).toMatch(/^a +b +al +FAILED +10s +3s +2 +a long reason, and so on,.{1,40}~$/);
  const wide = (await run(['list', '-o', 'wide'], () => ({ body }))).out.split('\n')[1] ?? '';
  expect(wide).toContain('1970-01-01T00:00:00Z  a__b__0  a long reason');
  expect(wide.length).toBeGreaterThan(200);
});

describe('events', () => {
  const { phase: _, ...rest } = item;
  const moving = { ...rest, shard_routing_mode: 'SAME_SHARD', target_shard_count: 2 };
  const write = (event: string, data: object, id = '') =>
    `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const stream = (...phases: readonly string[]) => [
    ...phases.map((phase) => write('migration', { ...moving, phase, error_message: undefined })),
    write('migration', { ...moving, phase: 'ACTIVE', source_index: 'other', migration_id: 'o' }),
    write('ready', { at_millis: 1 }, 'id: x\n'),
  ];
  const served = (text: string) => ({ status: 200, body: text, isText: true }) as const;

  test('without -f: the first look, a line for each migration', async () => {
    const { code, out } = await run(['events', 'a'], () => served(stream('ACTIVE').join('')));
    expect([code, out]).toEqual([0, '1970-01-01T00:00:10.000Z a -> b ACTIVE [2 FAILED]\n']);
  });

  test('a line is due when a phase changes, and not a figure', async () => {
    const { out } = await run(['events', 'a'], () =>
      served(stream('ACTIVE', 'ACTIVE', 'COMPLETED').join('')),
    );
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  test('as JSON: each event in a line', async () => {
    const { out } = await run(['events', '-o', 'json'], () => served(stream('ACTIVE').join('')));
    const names = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(names).toEqual(['migration', 'migration', 'ready']);
  });
});

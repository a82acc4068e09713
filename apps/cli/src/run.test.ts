import { createShard, createStatus } from './__tests__/create-status';
import { createFakeShell } from './__tests__/fake-shell';
import { refusal } from './__tests__/serve';
import { useApi } from './__tests__/use-api';
import { runCommand } from './run';

const run = useApi();
const started = { body: { migration_id: 'a__b__0', accepted: true } };
const shards = [createShard('CONVERGED')];
const statusOf = (phase: Parameters<typeof createStatus>[0]) => ({ body: createStatus(phase, shards) });

test('start --wait ends with the end', async () => {
  const reply = (_: string, n: number) => (n === 0 ? started : statusOf(n < 2 ? 'ACTIVE' : 'COMPLETED'));
  const { code, out } = await run(
    ['start', 'a', 'b', '--alias', 'c', '--wait', '--interval', '100ms'],
    reply,
  );
  expect([code, out]).toEqual([0, 'a__b__0\nCOMPLETED\n']);
});

test.each([
  ['FAILED', 7],
  ['COMPLETED', 0],
] as const)('wait for a migration that is %s: %i', async (phase, expected) => {
  const { code } = await run(['wait', 'a'], () => statusOf(phase));
  expect(code).toBe(expected);
});

test('wait --for end takes any end', async () => {
  expect((await run(['wait', 'a', '--for', 'end'], () => statusOf('FAILED'))).code).toBe(0);
});

test('wait is over after its time', async () => {
  expect((await run(['wait', 'a', '--timeout', '50ms'], () => statusOf('ACTIVE'))).code).toBe(8);
});

test.each<[number, number]>([
  [400, 3],
  [409, 3],
  [401, 6],
  [403, 6],
  [404, 4],
])('an API that answers %i: exit code %i, the reason on stderr', async (status, expected) => {
  const { code, out, err } = await run(['cancel', 'a', '--yes'], () =>
    refusal(status, 'a_type', 'the reason'),
  );
  expect([code, out, err]).toEqual([expected, '', `the reason (${status} a_type)\n`]);
});

test('the same as JSON', async () => {
  const { err } = await run(['cancel', 'a', '--yes', '--json'], () => refusal(409, 'a_type', 'why'));
  expect(JSON.parse(err)).toEqual({ error: { type: 'a_type', reason: 'why', status: 409, exit_code: 3 } });
});

test('an API that is away', async () => {
  const shell = createFakeShell({ AOSC_API_URL: 'http://127.0.0.1:1' });
  expect(await runCommand(['cancel', 'a', '--yes'], shell)).toBe(5);
  expect(shell.complained()).toContain('The API does not answer');
});

test.each([
  [['start', 'a', 'b']],
  [['start', 'a']],
  [['nothing']],
  [['status', 'a', '--unknown']],
  [['wait', 'a', '--timeout', '5']],
  [['list', '--phase', 'DONE']],
  [['settings', 'set', 'novalue']],
  [['settings', 'profile', 'none']],
  [['status', 'a', '--url', 'http://a', '--context', 'b']],
  [['status', 'a', '--url', 'nonsense']],
  [['status', 'a', '--context', 'missing']],
  [['start', 'a', 'b', '--alias', 'c', '--script-params', '{}']],
  [['start', 'a', 'b', '--alias', 'c', '--script', 'x', '--script-params', '{"a":2.0}']],
  [['start', 'a', 'b', '--alias', 'c', '--validation-query', '[1]']],
])('%j is a wrong command line', async (args) => {
  const { code, out, err, seen } = await run(args, () => started);
  expect([code, out]).toEqual([2, '']);
  expect(err).not.toBe('');
  expect(seen).toEqual([]);
});

test('--help and --version', async () => {
  expect((await run(['--help'], () => started)).out).toContain('130  Ctrl-C');
  expect((await run(['--version'], () => started)).code).toBe(0);
});

test('--print-request prints the request and sends nothing, before and behind the command', async () => {
  for (const args of [
    ['--print-request', 'cancel', 'a'],
    ['cancel', 'a', '--print-request'],
  ]) {
    const { code, out, seen } = await run(args, () => started);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^curl -X POST -H "Authorization: ApiKey \$AOSC_API_KEY" http:\S+\/_plugins\/_aosc\/a\/_cancel\n$/,
    );
    expect(seen).toEqual([]);
  }
});

test('--print-request of a wait shows what it would ask', async () => {
  const { out, seen } = await run(['wait', 'a', '--print-request'], () => started);
  expect(out).toMatch(/\/_plugins\/_aosc\/a\/_status\n$/);
  expect(seen).toEqual([]);
});

test.each([
  [['clear-state', '--no-undo'], 'dry_run=true&try_close=true&undo=false'],
  [['clear-state', '--yes', '--migration-id', 'm'], 'dry_run=false&migration_id=m'],
  [['clear-state', '--yes', '--dry-run'], 'dry_run=true'],
  [['leases'], 'dry_run=true'],
  [['leases', '--release'], 'dry_run=false'],
  [['leases', '--release', '--dry-run'], 'dry_run=true'],
  [['create-target', 'a', 'b', '--dry-run'], '_create_target?dry_run=true'],
  [['events'], '_plugins/_aosc/_events'],
  [['list', '--watch'], '_list'],
  [['settings', 'profile', 'offline'], 'curl -X PUT'],
])('%j --print-request prints what it would send, and sends nothing', async (args, part) => {
  const { code, out, seen } = await run([...args, '--print-request'], () => started);
  expect([code, seen]).toEqual([0, []]);
  expect(out).toContain(part);
});

const settingsBody = { persistent: {}, transient: {}, defaults: {} };
/** What the API of the test answers to anything. */
const anything = (what: string) => {
  if (what.includes('_status')) return statusOf('ACTIVE');
  if (what.includes('_list')) return { body: { migrations: [], truncated: false, active_count: 0 } };
  if (what.includes('_cleanup'))
    return { body: { dry_run: true, leases: [], released: 0, failed: 0, truncated: false } };
  if (what.includes('_clear')) return { body: { dry_run: true, try_close: true, migrations: {} } };
  if (what.includes('_create_target')) return { body: creation };
  return { body: what.includes('_cluster') ? settingsBody : started.body };
};

test.each([
  [['create-target', 'a', 'b'], 0, 'would create b from a'],
  [['cancel', 'a'], 0, 'would cancel this migration: a -> b is ACTIVE'],
  [['cancel', 'a', '--yes', '--wait'], 0, 'would cancel'],
  [['settings', 'set', 'aosc.liveness.timeout=60s'], 0, 'nothing was changed'],
  [['settings', 'profile', 'offline'], 0, 'nothing was changed'],
  [['leases', '--release'], 0, 'no leases'],
  [['clear-state', '--yes'], 0, 'nothing to clear'],
  [['clear-state', '--migration-id', 'a__b__1', '--yes'], 0, 'there is no migration a__b__1 to clear'],
  [['list'], 0, 'no migrations'],
  [['status', 'a'], 0, 'ACTIVE'],
])('%j --dry-run asks the API and changes nothing', async (args, expected, words) => {
  const { code, out, seen } = await run([...args, '--dry-run'], anything);
  expect(code).toBe(expected);
  expect(out).toContain(words);
  const changing = seen.filter(({ what }) => !what.startsWith('GET ') && !what.includes('dry_run=true'));
  expect([seen.length > 0, changing]).toEqual([true, []]);
});

test('status of an id asks for that migration', async () => {
  const id = 'a__b__1700000000000';
  const { seen } = await run(['status', id], () => statusOf('COMPLETED'));
  expect(seen[0]?.what).toBe(`GET /_plugins/_aosc/_migrations/${id}`);
});

test('a dry run of a cancel ends as the cancel would', async () => {
  const { code, out } = await run(['cancel', 'a', '--dry-run'], () => statusOf('FAILED'));
  expect([code, out]).toEqual([3, 'a -> b is FAILED, 100% copied: there is nothing to cancel\n']);
});

describe('cutover', () => {
  const cutover = {
    state: 'waiting_for_window',
    waits_for: 'the next of cutover_windows',
    next_attempt_millis: 0,
  };
  const answer = () => ({ body: { accepted: true, phase: 'PREPARING_TARGET', cutover } });

  test.each([
    [[], {}, 'approved'],
    [['--force'], { force: true }, 'ordered at once'],
    [['--postpone'], { postpone: true }, 'postponed'],
  ])('%j orders it, and says that and what it waits for', async (flags, body, done) => {
    const { code, out, seen } = await run(['cutover', 'a', ...flags], answer);
    expect([code, out]).toEqual([
      0,
      `a: the cutover is ${done}; now it is waiting for window: waits for the next of cutover_windows, 1970-01-01T00:00:00.000Z\n`,
    ]);
    expect(seen.map(({ what }) => what)).toEqual(['POST /_plugins/_aosc/a/_cutover']);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body);
  });

  test('takes one order', async () => {
    const { code, err, seen } = await run(['cutover', 'a', '--force', '--postpone'], answer);
    expect([code, seen]).toEqual([2, []]);
    expect(err).toContain('give one of them');
  });

  test('a start says when', async () => {
    const when = [
      '--cutover',
      'manual',
      '--not-before',
      '2026-11-28T02:00:00Z',
      '--window',
      'Sat,sun 22:00-04:00 Europe/Berlin',
    ];
    const { seen } = await run(
      ['start', 'a', 'b', '--alias', 'al', ...when, '--window', '01:00-02:00'],
      () => started,
    );
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      options: {
        cutover: 'manual',
        cutover_not_before: '2026-11-28T02:00:00Z',
        cutover_windows: [
          { days: ['sat', 'sun'], from: '22:00', to: '04:00', time_zone: 'Europe/Berlin' },
          { from: '01:00', to: '02:00' },
        ],
      },
    });
  });

  test('a window that is none is refused here', async () => {
    const { code, seen } = await run(
      ['start', 'a', 'b', '--alias', 'al', '--window', 'at night'],
      () => started,
    );
    expect([code, seen]).toEqual([2, []]);
  });
});

describe('cancel asks', () => {
  const cancelled = { body: { accepted: true, phase: 'CANCELLING' } };
  const reply = (what: string) => (what.includes('_status') ? statusOf('ACTIVE') : cancelled);
  const answering = (answer: string) => (env: Record<string, string>) =>
    createFakeShell(env, { isTty: true, answer });

  test('and a yes cancels', async () => {
    const { code, err, seen } = await run(['cancel', 'a'], reply, answering('y'));
    expect([code, seen.at(-1)?.what]).toEqual([0, 'POST /_plugins/_aosc/a/_cancel']);
    expect(err).toContain('a -> b is ACTIVE, 100% copied. Cancel it, and give up its copy? [y/N]');
  });

  test('and anything else does not', async () => {
    const { code, err, seen } = await run(['cancel', 'a'], reply, answering(''));
    expect([code, seen.map(({ what }) => what)]).toEqual([0, ['GET /_plugins/_aosc/a/_status']]);
    expect(err).toContain('nothing was cancelled');
  });

  test('a script has to say --yes', async () => {
    const { code, err, seen } = await run(['cancel', 'a'], reply);
    expect([code, seen.some(({ what }) => what.startsWith('POST'))]).toEqual([2, false]);
    expect(err).toContain('--yes');
    expect((await run(['cancel', 'a', '--yes'], reply)).out).toBe('CANCELLING\n');
  });
});

const creation = {
  source_index: 'a',
  target_index: 'b',
  dry_run: true,
  created: false,
  shard_routing_mode: 'SPLIT_SHARD',
  definition: { settings: {}, mappings: {} },
  changes: [{ path: 'settings.index.number_of_shards', source: '2', target: '4' }, { path: 'mappings.x' }],
  changes_truncated: true,
  left_out: [{ setting: 'index.blocks.write', reason: 'a block' }],
  aliases: [{ name: 'al', properties: {} }],
};

test('create-target --dry-run asks for a dry run and shows the differences', async () => {
  const { code, out, seen } = await run(
    ['create-target', 'a', 'b', '--shards', '4', '--mappings', '{"properties":{}}', '--dry-run'],
    () => ({ body: creation }),
  );
  expect(code).toBe(0);
  expect(seen[0]?.what).toBe('POST /_plugins/_aosc/a/_create_target?dry_run=true');
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    target_index: 'b',
    number_of_shards: 4,
    mappings: { properties: {} },
  });
  expect(out.split('\n').map((line) => line.trim())).toEqual([
    'would create b from a',
    'routing: SPLIT_SHARD',
    expect.stringMatching(/^settings\.index\.number_of_shards +"2" -> "4"$/),
    expect.stringMatching(/^mappings\.x +nothing -> nothing$/),
    'there are more differences than are listed',
    'left out: index.blocks.write (a block)',
    'alias of the source: al',
    '',
  ]);
});

test('create-target creates, and refuses settings that are no object before it asks', async () => {
  const created = { ...creation, created: true, dry_run: false, changes: [], unassigned: 'no room' };
  const args = ['create-target', 'a', 'b', '--settings'];
  const { out, seen } = await run([...args, '{"codec":null}'], () => ({ body: created }));
  expect(seen[0]?.what).toBe('POST /_plugins/_aosc/a/_create_target?dry_run=false');
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ target_index: 'b', settings: { 'index.codec': null } });
  expect(out).toContain('created b from a\nrouting: SPLIT_SHARD\nno difference\n');
  const wrong = await run([...args, '[]'], () => ({ body: created }));
  expect([wrong.code, wrong.seen.length]).toEqual([2, 0]);
});

import { createShard, createStatus } from './__tests__/create-status';
import { createFakeShell, type FakeShell } from './__tests__/fake-shell';
import { refusal, serve } from './__tests__/serve';
import { InterruptedError } from './failure';
import { runCommand } from './run';

type Api = Awaited<ReturnType<typeof serve>>;
let api: Api | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

/** Runs a command line against an API that answers so. */
async function run(
  args: readonly string[],
  reply: Parameters<typeof serve>[0],
  make: (env: Record<string, string>) => FakeShell = createFakeShell,
) {
  await api?.stop();
  api = await serve(reply);
  const shell = make({ AOSC_API_URL: api.url, AOSC_API_KEY: 'top-secret' });
  const code = await runCommand(args, shell);
  return { code, out: shell.printed(), err: shell.complained(), seen: api.seen };
}

const started = { body: { migration_id: 'a__b__0', accepted: true } };
const shards = [createShard('CONVERGED')];
const statusOf = (phase: Parameters<typeof createStatus>[0]) => ({ body: createStatus(phase, shards) });

test('start prints the id, and sends flags as options', async () => {
  const args = ['start', 'a', 'b', '--alias', 'al', '--max-rounds', '5', '--target-ready-timeout', '2m'];
  const more = [
    '--target-setting',
    'index.number_of_replicas=0',
    '--target-setting',
    'index.x=null',
    '--accept-data-loss',
  ];
  const { code, out, seen } = await run(
    [...args, ...more, '--script', 'x', '--script-params', '{"p":1}'],
    () => started,
  );
  expect([code, out]).toEqual([0, 'a__b__0\n']);
  expect(seen[0]?.authorization).toBe('ApiKey top-secret');
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    target_index: 'b',
    alias: 'al',
    transform_script: { type: 'inline', source: 'x', params: { p: 1 } },
    options: {
      max_convergence_rounds_per_shard: 5,
      target_ready_timeout_seconds: 120,
      accept_data_loss_if_custom_routing_is_used: true,
      transient_target_settings: { 'index.number_of_replicas': '0', 'index.x': null },
    },
  });
});

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
  const { code, out, err } = await run(['cancel', 'a'], () => refusal(status, 'a_type', 'the reason'));
  expect([code, out, err]).toEqual([expected, '', `the reason (${status} a_type)\n`]);
});

test('the same as JSON', async () => {
  const { err } = await run(['cancel', 'a', '--json'], () => refusal(409, 'a_type', 'why'));
  expect(JSON.parse(err)).toEqual({ error: { type: 'a_type', reason: 'why', status: 409, exit_code: 3 } });
});

test('an API that is away', async () => {
  const shell = createFakeShell({ AOSC_API_URL: 'http://127.0.0.1:1' });
  expect(await runCommand(['cancel', 'a'], shell)).toBe(5);
  expect(shell.complained()).toContain('The API gives no answer');
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
  [['start', 'a', 'b', '--alias', 'c', '--validation-query', '[1]']],
])('%j is a wrong command line', async (args) => {
  const { code, out, err } = await run(
    args,
    () => started,
    (env) => createFakeShell({ ...env }),
  );
  expect([code, out]).toEqual([2, '']);
  expect(err).not.toBe('');
  expect(api?.seen).toEqual([]);
});

test('--help and --version', async () => {
  expect((await run(['--help'], () => started)).out).toContain('130  Ctrl-C');
  expect((await run(['--version'], () => started)).code).toBe(0);
});

test('--dry-run prints the request and sends nothing, before and behind the command', async () => {
  for (const args of [
    ['--dry-run', 'cancel', 'a'],
    ['cancel', 'a', '--dry-run'],
  ]) {
    const { code, out, seen } = await run(args, () => started);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^curl -X POST -H "Authorization: ApiKey \$AOSC_API_KEY" http:\S+\/_plugins\/_aosc\/a\/_cancel\n$/,
    );
    expect(seen).toEqual([]);
    await api?.stop();
  }
});

test('--dry-run of clear-state shows the request that clears', async () => {
  const { out, seen } = await run(['clear-state', '--dry-run', '--no-undo'], () => started);
  expect(out).toContain('dry_run=false&try_close=true&undo=false');
  expect(seen).toEqual([]);
});

test('status into a pipe', async () => {
  const { out } = await run(['status', 'a'], () => statusOf('ACTIVE'));
  expect(out.split('\n')[2]).toBe('[ACTIVE] . . . . .');
  expect(out).not.toContain('\u001b');
});

test('status --json is what the API says', async () => {
  const { out } = await run(['status', 'a', '--json'], () => statusOf('ACTIVE'));
  expect(JSON.parse(out)).toEqual(createStatus('ACTIVE', shards));
});

const stepwise = (_: string, n: number) => statusOf(n < 2 ? 'ACTIVE' : n < 3 ? 'COMPLETING' : 'COMPLETED');
const watching = ['status', 'a', '--watch', '--interval', '100ms'];

test('status --watch into a pipe: a line for each step', async () => {
  const { code, out } = await run(watching, stepwise);
  expect(code).toBe(0);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[1]),
  ).toEqual(['ACTIVE', 'COMPLETING', 'COMPLETED']);
});

test('status --watch --json: a value in each line', async () => {
  const { out } = await run([...watching, '--json'], stepwise);
  const phases = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { phase: string }).phase);
  expect(phases.slice(-2)).toEqual(['COMPLETING', 'COMPLETED']);
});

test('status --watch on a terminal is drawn over, and gives the cursor back', async () => {
  const { code, out } = await run(watching, stepwise, (env) => createFakeShell(env, { isTty: true }));
  expect(code).toBe(0);
  expect(out.startsWith('\u001b[?25l')).toBe(true);
  expect(out).toContain('\u001b[6A');
  expect(out).toContain('[COMPLETED]');
  expect(out.endsWith('\u001b[?25h')).toBe(true);
});

test('Ctrl-C ends a watch with 130, and gives the cursor back', async () => {
  const interrupt = new AbortController();
  const reply = (_: string, n: number) => {
    if (n === 1) interrupt.abort(new InterruptedError());
    return statusOf('ACTIVE');
  };
  const make = (env: Record<string, string>) =>
    createFakeShell(env, { isTty: true, signal: interrupt.signal });
  const { code, out } = await run(watching, reply, make);
  expect(code).toBe(130);
  expect(out.endsWith('\u001b[?25h')).toBe(true);
});

test('list', async () => {
  const item = {
    migration_id: 'a__b__0',
    source_index: 'a',
    target_index: 'b',
    alias: 'al',
    phase: 'ACTIVE',
    start_time_millis: 0,
    last_updated_millis: 1,
    shards_by_phase: { PENDING: 2 },
    is_terminal: false,
    shard_count: 2,
    elapsed_seconds: 61,
  };
  const body = { migrations: [item], truncated: true, active_count: 1 };
  const { out, seen } = await run(['list', '--phase', 'active', '--size', '1'], () => ({ body }));
  expect(seen[0]?.what).toBe('GET /_plugins/_aosc/_list?status=ACTIVE&size=1');
  expect(out.split('\n').slice(1)).toEqual([
    'a       b       al     ACTIVE  2 PENDING  1m 1s',
    'there are more: --size shows them',
    '',
  ]);
});

test('list --watch on a terminal is drawn until Ctrl-C', async () => {
  const interrupt = new AbortController();
  const body = { migrations: [], truncated: false, active_count: 0 };
  const reply = (_: string, n: number) => {
    if (n === 2) interrupt.abort(new InterruptedError());
    return { body };
  };
  const make = (env: Record<string, string>) =>
    createFakeShell(env, { isTty: true, signal: interrupt.signal });
  const { code, out } = await run(['list', '--watch', '--interval', '10ms'], reply, make);
  expect(code).toBe(130);
  expect(out.split('no migrations')).toHaveLength(3);
  expect(out.endsWith('\u001b[?25h')).toBe(true);
});

const size = 'aosc.backfill.controller.batch.size';

test('settings get, diff, set', async () => {
  const body = { persistent: { [size]: '7' }, transient: {}, defaults: {} };
  expect((await run(['settings', 'get', '*batch.size'], () => ({ body }))).out).toBe(
    `${size}  7    persistent\naosc.replay.controller.batch.size    500\n`,
  );
  await api?.stop();
  expect((await run(['settings', 'diff'], () => ({ body }))).out).toBe(`${size}  7  the defaults: 500\n`);
  await api?.stop();
  const changed = { acknowledged: true, persistent: {}, transient: { [size]: '9' } };
  const { seen } = await run(['settings', 'set', '--transient', `${size}=9`, 'aosc.x=null'], () => ({
    body: changed,
  }));
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ transient: { [size]: '9', 'aosc.x': null } });
});

const clearing = (isDry: boolean) => ({
  dry_run: isDry,
  try_close: true,
  migrations: {
    a__b__0: {
      phase: 'ACTIVE',
      cluster_state: isDry ? 'would_clear' : 'cleared',
      active_migrations: isDry ? 'would_clear' : 'cleared',
      closed: !isDry,
    },
  },
});
const clear = (what: string) => ({ body: clearing(what.includes('dry_run=true')) });

test('clear-state changes nothing without a yes', async () => {
  for (const make of [
    createFakeShell,
    (env: Record<string, string>) => createFakeShell(env, { isTty: true, answer: 'n' }),
  ]) {
    const { code, out, seen } = await run(['clear-state'], clear, make);
    expect([code, seen.length]).toEqual([0, 1]);
    expect(out).toContain('would_clear');
    await api?.stop();
  }
});

test('and does it after one, always after a dry run', async () => {
  const yes = (env: Record<string, string>) => createFakeShell(env, { isTty: true, answer: 'y' });
  for (const [args, make] of [
    [['clear-state', '--yes'], createFakeShell],
    [['clear-state'], yes],
  ] as const) {
    const { out, seen } = await run(args, clear, make);
    expect(seen.map(({ what }) => /dry_run=(\w+)/.exec(what)?.[1])).toEqual(['true', 'false']);
    expect(out).toContain('record cleared');
    await api?.stop();
  }
});

test('leases are released only when that is asked for', async () => {
  const lease = { index: 'a', shard: 0, lease_id: 'l', source: 's', retaining_seq_no: 3, released: false };
  const body = { dry_run: true, leases: [lease], released: 0, failed: 0, truncated: false };
  const { seen, out } = await run(['leases', 'a'], () => ({ body }));
  expect(seen[0]?.what).toContain('dry_run=true&index=a&include_active=false');
  expect(out).toBe('a  0  l  from 3  would be released\n');
  await api?.stop();
  const failed = { ...body, dry_run: false, failed: 1 };
  const released = await run(['leases', '--release'], () => ({ body: failed }));
  expect([released.code, released.seen[0]?.what.includes('dry_run=false')]).toEqual([9, true]);
});

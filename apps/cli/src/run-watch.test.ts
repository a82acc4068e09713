import { createShard, createStatus } from './__tests__/create-status';
import { createFakeShell } from './__tests__/fake-shell';
import { refusal } from './__tests__/serve';
import { useApi } from './__tests__/use-api';
import { InterruptedError } from './failure';

const run = useApi();
const shards = [createShard('CONVERGED')];
const statusOf = (phase: Parameters<typeof createStatus>[0]) => ({ body: createStatus(phase, shards) });

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
      .slice(0, 3)
      .map((line) => line.split(' ')[1]),
  ).toEqual(['ACTIVE', 'COMPLETING', 'COMPLETED']);
  expect(out.split('\n\n')[1]).toBe(
    'COMPLETED: a -> b, in 0s\nal was moved from a to b\ncopied 0 documents\nreplayed 0 operations, 0 of them deletes',
  );
});

test.each([['status', '--watch'], ['wait']])(
  '%s of an id asks for that migration',
  async (command, ...more) => {
    const path = '/_plugins/_aosc/_migrations/a__b__1700000000000';
    const reply = (what: string, n: number) =>
      what.startsWith(`GET ${path}`)
        ? stepwise(what, n)
        : refusal(404, 'resource_not_found_exception', 'none');
    const { code, seen } = await run([command, 'a__b__1700000000000', ...more, '--interval', '100ms'], reply);
    expect(seen.slice(0, 4).map(({ what }) => what)).toEqual(Array(4).fill(`GET ${path}`));
    expect(code).toBe(0);
  },
);

test('status --watch into a pipe: a line also while nothing changes', async () => {
  const etag = '"1"';
  const reply = (_: string, n: number) =>
    n > 0 && n < 3
      ? { status: 304, body: undefined, etag }
      : { ...statusOf(n < 3 ? 'ACTIVE' : 'COMPLETED'), etag };
  let now = 0;
  const make = (env: Record<string, string>) => ({ ...createFakeShell(env), now: () => (now += 10_000) });
  const { out } = await run(watching, reply, make);
  const phases = out
    .split('\n\n')[0]
    ?.split('\n')
    .map((line) => line.split(' ')[1]);
  expect(phases).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'COMPLETED']);
});

test('the report at the end asks what the cluster has now', async () => {
  const { out, seen } = await run(watching, stepwise);
  expect(seen.at(-1)?.what).toBe('GET /_plugins/_aosc/_migrations/a__b__0/_indices');
  expect(out).toContain('The cluster could not be asked what it has now: GET /_plugins/_aosc/_migrations/');
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
  expect(out).toContain('\u001b[?25h\nCOMPLETED: a -> b');
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
  const wait = { reason: 'worker', since_millis: 0, text: 'no worker takes jobs' } as const;
  const status = createStatus('ACTIVE', [], { waiting_for: wait });
  const { out, seen } = await run(['list', '--phase', 'active', '--size', '1'], (what) => ({
    body: what.includes('_list') ? body : status,
  }));
  expect(seen[0]?.what).toBe('GET /_plugins/_aosc/_list?status=ACTIVE&size=1');
  expect(out.split('\n').slice(1)).toEqual([
    'a       b       al     ACTIVE  10s  1m 1s  2 PENDING  waits: no worker takes jobs',
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

test('list --watch outlasts an API that is away', async () => {
  const interrupt = new AbortController();
  const reply = (_: string, n: number) => {
    if (n === 7) interrupt.abort(new InterruptedError());
    return n > 0 && n < 6
      ? refusal(503, 'unavailable', 'away')
      : { body: { migrations: [], truncated: false, active_count: 0 } };
  };
  const make = (env: Record<string, string>) => createFakeShell(env, { signal: interrupt.signal });
  const { code, err } = await run(['list', '--watch', '--interval', '0ms'], reply, make);
  expect(code).toBe(130);
  expect(err).toContain('no answer, asking again: ');
});

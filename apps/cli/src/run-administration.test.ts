import { createFakeShell } from './__tests__/fake-shell';
import { useApi } from './__tests__/use-api';

const run = useApi();
const size = 'aosc.backfill.controller.batch.size';

test('settings get, diff, set', async () => {
  const body = { persistent: { [size]: '7' }, transient: {}, defaults: {} };
  expect((await run(['settings', 'get', '*batch.size'], () => ({ body }))).out).toBe(
    `${size}  7    persistent\naosc.replay.controller.batch.size    500\n`,
  );
  expect((await run(['settings', 'diff'], () => ({ body }))).out).toBe(`${size}  7  the defaults: 500\n`);
  const changed = { acknowledged: true, persistent: {}, transient: { [size]: '9' } };
  const { seen, out } = await run(['settings', 'set', '--transient', `${size}=9`, 'aosc.x=null'], (what) => ({
    body: what.startsWith('GET') ? body : changed,
  }));
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ transient: { [size]: '9', 'aosc.x': null } });
  expect(out).toBe(
    `${size}  7        ->  9\naosc.x                               unknown  ->  its default\n`,
  );
});

test('settings profile says what it changes, and what is so already', async () => {
  const body = { persistent: { [size]: '7', 'aosc.liveness.timeout': '60s' }, transient: {}, defaults: {} };
  const changed = { acknowledged: true, persistent: {}, transient: {} };
  const { out } = await run(['settings', 'profile', 'live-searches'], (what) => ({
    body: what.startsWith('GET') ? body : changed,
  }));
  expect(out).toBe(
    `${size}    7  ->  500\naosc.backfill.max_concurrent_per_node  2  ->  1\n7 are so already\n`,
  );
});

test.each([
  [['set', `${size}=9`, 'aosc.liveness.timeout=60s'], '1 is so already\n'],
  [['set', 'aosc.*=null'], 'aosc.liveness.timeout  60s  ->  300s\n'],
  [['set', `${size}=9`, '--dry-run'], 'nothing was changed\n'],
])('settings %j does not say that a value is in force that a transient one hides', async (words, out) => {
  const body = { persistent: { 'aosc.liveness.timeout': '60s' }, transient: { [size]: '8' }, defaults: {} };
  const changed = { acknowledged: true, persistent: {}, transient: {} };
  const reply = (what: string) => ({ body: what.startsWith('GET') ? body : changed });
  expect(await run(['settings', ...words], reply)).toMatchObject({
    code: 9,
    out,
    err: `${size}: stays 8, a transient value wins; --transient ${size}=null removes it\n`,
  });
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
    expect(out).toContain('record would be cleared');
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
  }
});

test('leases are released only when that is asked for', async () => {
  const lease = { index: 'a', shard: 0, lease_id: 'l', source: 's', retaining_seq_no: 3, released: false };
  const body = { dry_run: true, leases: [lease], released: 0, failed: 0, truncated: false };
  const { seen, out } = await run(['leases', 'a'], () => ({ body }));
  expect(seen[0]?.what).toContain('dry_run=true&index=a&include_active=false');
  expect(out).toBe('a  0  l  from 3  held\n');
  const failed = { ...body, dry_run: false, failed: 1 };
  const released = await run(['leases', '--release'], () => ({ body: failed }));
  expect([released.code, released.seen[0]?.what.includes('dry_run=false')]).toEqual([9, true]);
});

test('a dry run of a release says which leases would stay, and a list that they are held', async () => {
  const lease = { index: 'a', shard: 0, lease_id: 'l', source: 's', retaining_seq_no: 3, released: false };
  const leases = [{ ...lease, error: 'it runs' }, lease];
  const body = { dry_run: true, leases, released: 0, failed: 0, truncated: false };
  const wordsOf = async (args: readonly string[]) => {
    const { code, out, seen } = await run(['leases', ...args], () => ({ body }));
    expect([code, seen.length]).toEqual([0, 1]);
    return out
      .trim()
      .split('\n')
      .map((line) => line.split('from 3  ')[1]);
  };
  expect(await wordsOf(['--release', '--dry-run'])).toEqual(['it runs', 'would be released']);
  expect(await wordsOf([])).toEqual(['held', 'held']);
});

test.each([
  ['aosc.liveness.timeout=never', 'failed to parse'],
  ['aosc.backfill.max_concurrent_per_node=-1', 'must be >='],
  ['aosc.backfil.max_concurrent_per_node=1', 'did you mean aosc.backfill.max_concurrent_per_node?'],
])('a dry run refuses %s as the API would', async (pair, words) => {
  const { code, err, seen } = await run(['settings', 'set', pair, '--dry-run'], () => ({ body: {} }));
  expect([code, seen]).toEqual([2, []]);
  expect(err.toLowerCase()).toContain(words);
});

test('a setting that does not exist gets the nearest name', async () => {
  const { err } = await run(['settings', 'get', 'aosc.livenes.timeout'], () => ({
    body: { persistent: {}, transient: {}, defaults: {} },
  }));
  expect(err).toBe('there is no setting aosc.livenes.timeout, did you mean aosc.liveness.timeout?\n');
});

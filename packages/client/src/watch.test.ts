import { createStatus } from './__tests__/serve.ts';
import {
  ApiError,
  ConnectionError,
  MigrationEndedError,
  MigrationReplacedError,
  WaitTimeoutError,
} from './errors.ts';
import { type StatusReader, waitForPhase, watchStatus, type WatchOptions } from './watch.ts';

const asked = { method: 'GET', path: '/' };
const away = new ConnectionError(asked, 'away');
const missing = new ApiError(asked, 404, {
  type: 'resource_not_found_exception',
  reason: 'r',
  root_cause: [],
});
const quick = { intervalMs: 1 };

type Step = Parameters<typeof createStatus>[0] | ReturnType<typeof createStatus> | Error | 'unchanged';

/** Answers one after the other, and the last one again and again. */
function readerOf(...steps: readonly Step[]) {
  const etags: (string | undefined)[] = [];
  const read: StatusReader = (etag) => {
    const step = steps[Math.min(etags.push(etag), steps.length) - 1];
    if (step instanceof Error) return Promise.reject(step);
    if (step === undefined || step === 'unchanged') return Promise.resolve({ body: undefined, etag });
    const body = typeof step === 'string' ? createStatus(step) : step;
    return Promise.resolve({ body, etag: `W/"${etags.length}"` });
  };
  return { read, etags };
}

async function phasesOf(read: StatusReader, options: WatchOptions = quick): Promise<readonly string[]> {
  const phases: string[] = [];
  for await (const { phase } of watchStatus(read, options)) phases.push(phase);
  return phases;
}

test('each status that is new, to the end', async () => {
  const { read, etags } = readerOf('ACTIVE', 'unchanged', 'COMPLETING', 'COMPLETED');
  expect(await phasesOf(read)).toEqual(['ACTIVE', 'COMPLETING', 'COMPLETED']);
  expect(etags).toEqual([undefined, 'W/"1"', 'W/"1"', 'W/"3"']);
});

test('trouble that passes is waited out, and reported', async () => {
  const told: unknown[] = [];
  const { read } = readerOf('ACTIVE', away, away, 'FAILED');
  expect(await phasesOf(read, { ...quick, onTrouble: (error) => told.push(error) })).toEqual([
    'ACTIVE',
    'FAILED',
  ]);
  expect(told).toEqual([away, away]);
});

test('but not for ever', async () => {
  await expect(phasesOf(readerOf(away).read, { ...quick, patienceMs: 20 })).rejects.toBe(away);
});

test('what will not pass ends it', async () => {
  await expect(phasesOf(readerOf('ACTIVE', missing).read)).rejects.toBe(missing);
});

test('another migration of the same source is not taken for the one that was watched', async () => {
  const next = createStatus('COMPLETED', { migration_id: 'a__b__2' });
  await expect(phasesOf(readerOf('ACTIVE', next).read)).rejects.toBeInstanceOf(MigrationReplacedError);
  await expect(phasesOf(readerOf(next).read, { ...quick, migrationId: 'a__b__1' })).rejects.toThrow(
    'a__b__1 is not the newest migration of its source: that is a__b__2',
  );
});

test('a signal ends it with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const { read, etags } = readerOf('ACTIVE');
  const watching = phasesOf(read, { intervalMs: 60_000, signal: controller.signal });
  while (etags.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(reason);
  await expect(watching).rejects.toBe(reason);
});

test('waits for a phase', async () => {
  const { read } = readerOf('ACTIVE', 'PREPARING_TARGET');
  expect((await waitForPhase(read, 'PREPARING_TARGET', quick)).phase).toBe('PREPARING_TARGET');
});

test('a phase that was over before the first look counts as reached', async () => {
  const { read } = readerOf(createStatus('COMPLETING', {}, ['ACTIVE', 'CATCHING_UP']));
  expect((await waitForPhase(read, ['CATCHING_UP', 'FAILED'], quick)).phase).toBe('COMPLETING');
});

test.each(['COMPLETED', 'CANCELLED', 'FAILED'] as const)('%s is an end', async (phase) => {
  const seen: string[] = [];
  const options = { ...quick, onStatus: (status: { phase: string }) => seen.push(status.phase) };
  expect((await waitForPhase(readerOf('ACTIVE', phase).read, 'terminal', options)).phase).toBe(phase);
  expect(seen).toEqual(['ACTIVE', phase]);
});

test('another end than the one waited for is an error that has the status', async () => {
  const failed = createStatus('FAILED', { error_message: 'a doubt' });
  const error: unknown = await waitForPhase(readerOf(failed).read, 'COMPLETED', quick).catch(
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(MigrationEndedError);
  expect(error).toMatchObject({
    migration: failed,
    message: 'waited for COMPLETED, but a__b__1 is FAILED: a doubt',
  });
});

test('its time is bounded, whatever the API does', async () => {
  const waiting = waitForPhase(readerOf('ACTIVE').read, 'COMPLETED', { ...quick, timeoutMs: 50 });
  await expect(waiting).rejects.toBeInstanceOf(WaitTimeoutError);
  await expect(waiting).rejects.toMatchObject({ migration: { phase: 'ACTIVE' } });
  const silent: StatusReader = (_, signal) =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  await expect(waitForPhase(silent, 'terminal', { timeoutMs: 20 })).rejects.toBeInstanceOf(WaitTimeoutError);
});

test('a time that is too long for a timer is not over at once', async () => {
  const times = { intervalMs: 100, timeoutMs: 2 ** 31 };
  expect((await waitForPhase(readerOf('ACTIVE', 'COMPLETED').read, 'COMPLETED', times)).phase).toBe(
    'COMPLETED',
  );
});

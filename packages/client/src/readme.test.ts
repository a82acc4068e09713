import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain } from './__tests__/examples/errors';
import { migrate } from './__tests__/examples/migrate';
import { watch } from './__tests__/examples/watch';
import { createStatus, refusal, type Reply, type Seen, serve } from './__tests__/serve.ts';

/** Asks an API that answers so, and says what it has seen. */
async function against<T>(
  reply: (seen: Seen, n: number) => Reply,
  ask: (url: string) => Promise<T>,
): Promise<{ readonly result: T; readonly seen: readonly Seen[] }> {
  const server = await serve(reply);
  try {
    return { result: await ask(server.url), seen: server.seen };
  } finally {
    await server.stop();
  }
}

test('the examples of the page are those that run here', () => {
  const page = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const shown = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text);
  const files = ['migrate', 'watch', 'errors'].map((name) =>
    join(__dirname, `__tests__/examples/${name}.ts`),
  );
  expect(shown).toEqual(files.map((file) => readFileSync(file, 'utf8')));
});

test('start, and wait for the end', async () => {
  const reply = (_: Seen, n: number): Reply =>
    n === 0
      ? { body: { migration_id: 'a__b__1', accepted: true } }
      : { body: createStatus(n === 1 ? 'ACTIVE' : 'COMPLETED') };
  const { result, seen } = await against(reply, migrate);
  expect(result).toBe('COMPLETED');
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ target_index: 'cities-v2', alias: 'cities' });
});

test('watch', async () => {
  const lines: string[] = [];
  const waiting_for = { reason: 'worker', since_millis: 1, text: 'start a worker' } as const;
  const reply = (_: Seen, n: number): Reply => ({
    body: n === 0 ? createStatus('ACTIVE', { waiting_for }) : createStatus('COMPLETED'),
  });
  await against(reply, (url) => watch(url, new AbortController().signal, (line) => lines.push(line)));
  expect(lines).toEqual([
    'ACTIVE: 0 of 0 documents copied',
    'it waits: start a worker',
    'COMPLETED: 0 of 0 documents copied',
  ]);
});

test('errors', async () => {
  const missing = await against(() => refusal(404, 'resource_not_found_exception'), explain);
  expect(missing.result).toBe('refused with 404 resource_not_found_exception: why');
  const failed = await against(
    () => ({ body: createStatus('FAILED', { error_message: 'a doubt' }) }),
    explain,
  );
  expect(failed.result).toBe('it ended: a doubt');
});

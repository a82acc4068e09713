import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  callRaw,
  createSourceIndex,
  createTargetIndex,
  findLeftovers,
  loadDocuments,
  startMigration,
  type StatusDocument,
  terminalPhases,
  UnexpectedAnswer,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';

jest.setTimeout(420_000);

const MB = 2 ** 20;
const memoryLimit = 512 * MB;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    heapMb: 3072,
    env: { AOSC_WORKER_BACKFILL_CONCURRENCY: '1', AOSC_WORKER_REPLAY_CONCURRENCY: '1' },
    settings: {
      'aosc.backfill.controller.concurrency': '1',
      'aosc.backfill.controller.concurrency.max': '1',
    },
  });
});
afterAll(() => environment.stop());

/** The most memory that a process has had so far, in bytes, as Linux counts it. */
async function readPeakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const makeLarge = (megabytes: number, letter: string): string =>
  `{"text":"${letter.repeat(megabytes * MB)}"}`;

/** A node that has just handled hundreds of megabytes may ask for a pause (429) before it takes the next request. */
async function call(method: 'GET' | 'PUT', path: string, body?: string): Promise<Buffer> {
  let answer: Buffer | undefined;
  await until(`an answer to ${method} ${path}`, async () => {
    try {
      answer = await callRaw(environment.http, { method, path, ...(body !== undefined && { body }) });
      return true;
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.answer.status === 429) return false;
      throw error;
    }
  });
  return answer ?? Buffer.alloc(0);
}

const put = (index: string, id: string, source: string) => call('PUT', `/${index}/_doc/${id}`, source);

async function digestOf(index: string, id: string): Promise<string> {
  const source = await call('GET', `/${index}/_source/${id}`);
  const head = await call('GET', `/${index}/_doc/${id}?_source=false`);
  const version = /"_version":(\d+)/.exec(head.toString('utf8'))?.[1] ?? 'none';
  return `${version} ${source.length} ${createHash('sha256').update(source).digest('hex')}`;
}

test('documents of 2 bytes to 50 MB: one worker copies them within 512 MB of memory', async () => {
  const { http, urls, apiUrl } = environment;
  const [source, target, alias] = ['sizes-v1', 'sizes-v2', 'sizes'];
  await createSourceIndex(http, { name: source, alias, shards: 1 });
  await createTargetIndex(http, { name: target, shards: 2 });
  // Enough small ones in front that pages have grown when the large ones come.
  const tiny = Array.from({ length: 120 }, (_, n) => ({
    id: `tiny-${n}`,
    source: n % 2 === 0 ? '{}' : '{"a":1}',
  }));
  const sizes = [50, 20, 40, 30, 50, 20] as const;
  const large = sizes.map((megabytes, n) => ({ id: `large-${n}`, megabytes }));
  await loadDocuments(http, alias, tiny.slice(0, 100));
  for (const { id, megabytes } of large) await put(alias, id, makeLarge(megabytes, 'x'));
  await loadDocuments(http, alias, tiny.slice(100));

  const [worker] = environment.workers();
  if (worker === undefined) throw new Error('no worker runs');
  const before = await readPeakMemory(worker.pid);
  await startMigration(apiUrl, { source, target, alias });
  const copied = ({ shards, phase }: StatusDocument): boolean =>
    terminalPhases.includes(phase) ||
    Object.values(shards).every(({ backfill }) => backfill?.status === 'COMPLETED');
  await waitForStatus(apiUrl, source, copied, 'the end of the backfill');
  // They come while it replays, or are refused because it has got to the write block.
  await put(source, 'large-0', makeLarge(48, 'y')).catch(() => undefined);
  await put(source, 'large-6', makeLarge(30, 'z')).catch(() => undefined);
  const { phase, error_message: error } = await waitForPhase(apiUrl, source, terminalPhases);
  const peak = await readPeakMemory(worker.pid);
  expect({ phase, error }).toEqual({ phase: 'COMPLETED', error: undefined });
  expect(worker.isRunning()).toBe(true);
  expect(peak).toBeGreaterThan(before);
  expect(peak).toBeLessThan(memoryLimit);

  for (const { id: one } of large) expect(await digestOf(target, one)).toBe(await digestOf(source, one));
  const count = async (index: string): Promise<string> =>
    (await call('GET', `/${index}/_count?filter_path=count`)).toString('utf8');
  expect(await count(target)).toBe(await count(source));
  for (const { id: one } of tiny) expect(await digestOf(target, one)).toBe(await digestOf(source, one));
  expect(await findLeftovers({ urls, source, target, writeBlockExpected: true })).toEqual([]);
});

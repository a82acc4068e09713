import {
  callJson,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  sendChecked,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { withApi } from './support/api-in-process';
import { type Environment, startEnvironment, until } from './support/environment';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const [source, target, alias] = ['endless-v1', 'endless-v2', 'endless'] as const;
const good = 'ctx._source.a = 1';
/** Painless bounds the loops of a function, and not how often it is called. It lasts longer than three waits. */
const endless =
  'long inner(long sum) { for (int i = 0; i < 900000; ++i) { sum += i % 7; } return sum; } ' +
  'long sum = 0; for (int i = 0; i < 15000; ++i) { sum = inner(sum); } ctx._source.sum = sum;';
const waitMs = 5_000;

test('a script that runs on: its start is refused, others are until it has ended, and only one thread is busy', async () => {
  const { http } = environment;
  await createSourceIndex(http, { name: source, alias, shards: 1 });
  await createTargetIndex(http, { name: target, shards: 1 });
  await loadDocuments(http, alias, [{ id: '1', source: '{"n":1}' }]);
  const { openSearchUrls, redisUrl } = environment.stack;
  const env = {
    AOSC_OPENSEARCH_URL: openSearchUrls.join(),
    AOSC_REDIS_URL: redisUrl,
    AOSC_REQUEST_TIMEOUT_MS: String(waitMs),
  };
  await withApi(env, async (apiUrl) => {
    const start = (script: string) =>
      sendChecked(apiUrl, `/_plugins/_aosc/${source}/_start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          target_index: target,
          alias,
          transform_script: { type: 'inline', source: script },
        }),
      });
    expect(await start(endless)).toMatchObject({
      status: 400,
      body: { error: { reason: expect.stringContaining(`was not done within ${waitMs} ms`) as string } },
    });
    expect(await busyThreads()).toBe(1);
    const others = await Promise.all([start(endless), start(good)]);
    expect(others.map(({ status }) => status)).toEqual([429, 429]);
    expect(await busyThreads()).toBe(1);
    await until('the end of the script', async () => (await busyThreads()) === 0);
    expect(await start(good)).toMatchObject({ status: 200 });
  });
  expect((await waitForPhase(environment.apiUrl, source, terminalPhases)).phase).toBe('COMPLETED');
});

/** Threads of the cluster that try a pipeline out. */
function busyThreads(): Promise<number> {
  const action = 'cluster:admin/ingest/pipeline/simulate';
  return callJson(
    environment.http,
    (answer) => JSON.stringify(answer).split(`"action":"${action}"`).length - 1,
    'GET',
    `/_tasks?actions=${action}`,
  );
}

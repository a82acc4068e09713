import { readFile } from 'node:fs/promises';
import { createParser } from '@aosc/contract';
import { type ServiceProcess, type Stack, startStack } from '@aosc/local-stack';
import { callJson, callRaw, sendChecked } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment, until } from './support/environment';
import { commandRedis, flushRedis } from './support/redis';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
beforeEach(() => environment.restore(1));
afterAll(() => environment.stop());

const record = '/.aosc-migrations/_doc/installation';
const mark = 'aosc:installation';

test('two clusters on one Redis: the second is refused at its start', async () => {
  const second = await startStack({ nodes: 1, redis: false, heapMb: 512 });
  try {
    const urls = { AOSC_OPENSEARCH_URL: second.openSearchUrls.join(',') };
    await expectRefused('startScheduler', urls, 'is in use by the installation of cluster');
    await expectRefused('startWorker', urls, 'is in use by the installation of cluster');
    // The same Redis under another prefix is one of its own.
    const apart = await environment.service.startWorker({ ...urls, AOSC_QUEUE_PREFIX: 'apart' });
    expect(await apart.stop()).toBe(0);
  } finally {
    await second.stop();
  }
});

test('two Redises, or two prefixes, on one cluster: the second is refused at its start', async () => {
  const second: Stack = await startStack({ nodes: 0 });
  try {
    const elsewhere = 'already work on this cluster with another Redis';
    await expectRefused('startScheduler', { AOSC_REDIS_URL: second.redisUrl }, elsewhere);
    await expectRefused('startWorker', { AOSC_QUEUE_PREFIX: 'second' }, elsewhere);
    expect(await commandRedis(second.redisUrl, ['GET', mark])).toBe('$-1\r\n');
  } finally {
    await second.stop();
  }
});

test('FLUSHALL while processes run: the names come back, and a process may start in that moment', async () => {
  const before = await readMark();
  await flushRedis(environment.stack.redisUrl);
  await environment.service.startWorker();
  expect(await readMark()).toMatchObject({
    installation_id: before.installation_id,
    redis_id: before.redis_id,
  });
  await expectReady(200);
});

test('FLUSHALL while no process runs: the next ones take the place of the dead ones', async () => {
  const before = await readMark();
  await stopAll();
  await flushRedis(environment.stack.redisUrl);
  await environment.restore(1);
  const after = await readMark();
  expect(after.installation_id).toBe(before.installation_id);
  expect(after.redis_id).not.toBe(before.redis_id);
});

test('all processes restarted, Redis untouched: nothing changes', async () => {
  const before = await readMark();
  await stopAll();
  await environment.restore(1);
  expect((await readMark()).redis_id).toBe(before.redis_id);
});

test('the names of a live stranger in Redis: not ready, takes no jobs, starts are refused; its death ends that', async () => {
  const { scheduler, worker } = only();
  let beats = 0;
  const beat = () => {
    const names = { installation_id: 'stranger', cluster_uuid: 'elsewhere', redis_id: 'r' };
    const text = JSON.stringify({ v: 1, ...names, renewed_at_millis: (beats += 1) });
    return commandRedis(environment.stack.redisUrl, ['SET', mark, text]);
  };
  await until('both to notice the stranger', async () => {
    await beat();
    return (
      (await count(scheduler, 'installation_refused')) > 0 &&
      (await count(worker, 'installation_refused')) > 0
    );
  });
  await expectReady(503);
  await until('no process to wait for jobs any more', async () => {
    await beat();
    return !(await commandRedis(environment.stack.redisUrl, ['CLIENT', 'LIST'])).includes('cmd=bzpopmin');
  });
  await until('both to work again', async () => {
    const confirmed = await Promise.all(
      [scheduler, worker].map((each) => count(each, 'installation_confirmed')),
    );
    return confirmed.every((times) => times > 1);
  });
  await until('a process to wait for jobs again', async () =>
    (await commandRedis(environment.stack.redisUrl, ['CLIENT', 'LIST'])).includes('cmd=bzpopmin'),
  );
  await expectReady(200);
});

test('a cluster restored from a snapshot: refused with the way out, and the way out works', async () => {
  const { scheduler, worker } = only();
  const { _source: old } = await callJson(environment.http, parseRecord, 'GET', record);
  const rewritten = { ...old, cluster_uuid: 'the old cluster' };
  await until('both to notice', async () => {
    await callRaw(environment.http, { method: 'PUT', path: record, body: JSON.stringify(rewritten) });
    return (
      (await count(scheduler, 'installation_refused')) > 0 &&
      (await count(worker, 'installation_refused')) > 0
    );
  });
  await expectRefused('startWorker', {}, 'delete its document [installation]');
  await expectReady(503);
  await callRaw(environment.http, { method: 'DELETE', path: record });
  await until(
    'the API to be ready',
    async () => (await sendChecked(environment.apiUrl, '/readyz', {})).status === 200,
  );
  await environment.service.startWorker();
});

const parseRecord = createParser(
  'answer of _doc',
  Type.Object({ _source: Type.Record(Type.String(), Type.Unknown()) }),
);
const parseMark = createParser(
  'names in Redis',
  Type.Object({ installation_id: Type.String(), redis_id: Type.String() }),
);

async function readMark() {
  const answer = await commandRedis(environment.stack.redisUrl, ['GET', mark]);
  return parseMark(JSON.parse(answer.split('\r\n')[1] ?? ''));
}

/** It ends, and its log says why. */
async function expectRefused(
  start: 'startWorker' | 'startScheduler',
  env: Readonly<Record<string, string>>,
  phrase: string,
): Promise<void> {
  const outcome: unknown = await environment.service[start](env).catch((error: unknown) => error);
  expect(String(outcome)).toContain('ended with exit code 1');
  expect(String(outcome)).toContain(phrase);
}

async function expectReady(status: number): Promise<void> {
  const answer = await sendChecked(environment.apiUrl, '/readyz', {});
  expect(answer.status).toBe(status);
}

function only(): { scheduler: ServiceProcess; worker: ServiceProcess } {
  const [worker] = environment.workers();
  const scheduler = environment.service.schedulers.find((each) => each.isRunning());
  if (worker === undefined || scheduler === undefined) throw new Error('nobody runs');
  return { scheduler, worker };
}

/** Ends every worker and scheduler; the API only looks. */
async function stopAll(): Promise<void> {
  const { schedulers } = environment.service;
  await Promise.all([...environment.workers(), ...schedulers].map((each) => each.stop()));
}

async function count(process: ServiceProcess, event: string): Promise<number> {
  return (await readFile(process.logFile, 'utf8')).split(`"${event}"`).length - 1;
}

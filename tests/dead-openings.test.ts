import { createParser } from '@aosc/contract';
import { callJson, type HttpFaultProxy, parsePointsInTime, startHttpFaultProxy } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { removeIndices, runMigration, type Scenario } from './support/scenario';

jest.setTimeout(600_000);

const shape = {
  source: { shards: 2, routingShards: 8 },
  target: { shards: 4, routingShards: 8 },
  documents: 2_000,
  options: heldConvergence,
} as const satisfies Partial<Scenario>;

const parseOpened = createParser(
  'answer of _search/point_in_time',
  Type.Object({ pit_id: Type.String({ minLength: 1 }) }),
);

let environment: Environment;
let proxy: HttpFaultProxy;
beforeAll(async () => {
  // What has expired is in the list until the node looks for it, once in a minute as it comes.
  environment = await startEnvironment({ openSearchSettings: { 'search.keep_alive_interval': '1s' } });
  const [url = ''] = environment.urls;
  proxy = await startHttpFaultProxy(url);
});
afterAll(async () => {
  await proxy.stop();
  await environment.stop();
});

/** Keep-alives of all open points in time by their ids, in milliseconds. */
async function listPits(): Promise<ReadonlyMap<string, number>> {
  const path = '/_search/point_in_time/_all';
  const { pits } = await callJson(environment.http, parsePointsInTime, 'GET', path).catch(
    (error: unknown) => {
      // 404 when there is none
      if (String(error).includes('404')) return { pits: [] };
      throw error;
    },
  );
  return new Map(pits.map(({ pit_id, keep_alive }) => [pit_id, keep_alive]));
}

/**
 * A worker that dies by SIGKILL when it is about to write down which point in time it has opened.
 * @param isTime asked at each such write
 * @returns with a promise of the ids that it has opened by then
 */
async function startDyingWorker(
  isTime: () => boolean,
): Promise<{ readonly died: Promise<readonly string[]> }> {
  const worker = await environment.service.startWorker({ AOSC_OPENSEARCH_URL: proxy.url });
  const opened: string[] = [];
  const written = new Set<string>();
  const died = new Promise<readonly string[]>((resolve) => {
    const unwatch = proxy.watch(({ call: { method, path }, reply: { status, body } }) => {
      if (method !== 'POST' || !path.includes('/_search/point_in_time') || status !== 200) return;
      if (body !== undefined) opened.push(parseOpened(JSON.parse(body.toString('utf8'))).pit_id);
    });
    const remove = proxy.addRule(({ method, path, body }) => {
      // The whole answer is wanted.
      if (method === 'POST' && path.includes('/_search/point_in_time'))
        return { after: () => Promise.resolve('deliver') };
      const isWrite = method !== 'GET' && path.startsWith('/.aosc-migrations/') && !path.includes('_mget');
      if (!isWrite) return undefined;
      const named = opened.filter((id) => !written.has(id) && body.includes(id));
      // Those that live through this are named by a record from now on.
      if (!isTime()) for (const id of named) written.add(id);
      if (!isTime() || named.length === 0) return undefined;
      return {
        before: async () => {
          await worker.kill();
          remove();
          unwatch();
          resolve(opened);
          return 'drop';
        },
      };
    });
  });
  return { died };
}

test.each([
  { what: 'the first of a shard', name: 'dead-first' },
  { what: 'that of a round', name: 'dead-round' },
])(
  'kill -9 between the opening of a point in time and its record, $what: it is gone soon',
  async ({ name }) => {
    await environment.restore(0);
    let isTime = name === 'dead-first';
    const { died } = await startDyingWorker(() => isTime);
    const result = await runMigration(environment, { ...shape, name }, async (migration) => {
      if (!isTime) {
        await untilConverging(migration);
        isTime = true;
      }
      const opened = await died;
      const named = (await migration.shards()).flatMap(({ snapshot, nextSnapshot, closingPitIds }) => [
        snapshot?.pitId,
        nextSnapshot?.pitId,
        ...closingPitIds,
      ]);
      const pits = await listPits();
      const orphans = opened.filter((id) => pits.has(id) && !named.includes(id));
      expect(orphans.length).toBeGreaterThan(0);
      for (const id of orphans) expect(pits.get(id)).toBeLessThanOrEqual(30_000);
      await environment.service.startWorker();
      await until('the points in time of the dead worker to be gone', async () => {
        const left = await listPits();
        return orphans.every((id) => !left.has(id));
      });
      await letConverge(migration);
    });
    expectClean(result);
    await removeIndices(environment, result.migration);
  },
);

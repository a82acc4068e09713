import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type StatusDocument, StatusSchema } from '@aosc/contract';
import { callJson, parsePointsInTime, sendChecked } from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { openedInVainMs, runMigration } from './support/scenario';

/** An hour before a release: `POSTPONED_MINUTES=60`. */
const minutes = Number(process.env['POSTPONED_MINUTES'] ?? 3);
const lookMs = 1_000;
const shards = 2;
/** A shard has a snapshot, the next one, and those that its last two rounds still have to close; each death leaves one for 30 s. */
const mostPoints = 4 * shards + 2;

jest.setTimeout((minutes + 10) * 60_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ workers: 2 });
});
afterAll(() => environment.stop());

const parseStatus = createParser('status', StatusSchema);
async function readWaiting(source: string): Promise<Pick<StatusDocument, 'phase' | 'cutover'>> {
  return parseStatus((await sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/_status`, {})).body);
}

const countPoints = async (): Promise<number> =>
  (await callJson(environment.http, parsePointsInTime, 'GET', '/_search/point_in_time/_all')).pits.length;

test('a postponed migration waits under writers while two workers die, and is exact when it is approved', async () => {
  const { apiUrl, service } = environment;
  let most = 0;
  const scenario = {
    name: 'postponed',
    source: { shards, routingShards: 8 },
    target: { shards: 2 * shards, routingShards: 8 },
    documents: 5_000,
    writers: { rate: 100 },
    options: { cutover: 'manual' },
    endsWithinMs: (minutes + 5) * 60_000,
    leftoversWithinMs: openedInVainMs,
  };
  const result = await runMigration(environment, scenario, async (migration) => {
    const { source } = migration;
    const isPostponed = async () => (await readWaiting(source)).cutover?.state === 'postponed';
    await until('the postponed cutover', isPostponed);
    const began = performance.now();
    const share = (): number => (performance.now() - began) / (minutes * 60_000);
    for (const deadAt of [1 / 3, 2 / 3, 1]) {
      while (share() < deadAt) {
        await sleep(lookMs);
        const { phase, cutover } = await readWaiting(source);
        expect({ phase, state: cutover?.state }).toEqual({ phase: 'PREPARING_TARGET', state: 'postponed' });
        most = Math.max(most, await countPoints());
      }
      if (deadAt === 1) break;
      await environment.workers()[0]?.kill();
      await service.startWorker();
    }
    expect((await readWaiting(source)).cutover?.pinned_bytes).toEqual(expect.any(Number));
    const path = `/_plugins/_aosc/${source}/_cutover`;
    expect((await sendChecked(apiUrl, path, { method: 'POST' })).status).toBe(200);
  });
  expectClean(result);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(mostPoints);
});

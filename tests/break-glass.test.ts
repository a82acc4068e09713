import { createParser } from '@aosc/contract';
import { systemIndex } from '@aosc/store';
import {
  callJson,
  compareIndices,
  createTargetIndex,
  deleteIndices,
  describeMismatches,
  findLeftovers,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { followThePage, namesOnThePage } from './support/break-glass-page';
import { type Environment, startEnvironment } from './support/environment';
import { blockAlone } from './support/held-cutover';
import { holdUnderTheBlock, type QuietMigration, startQuietMigration } from './support/quiet-migration';
import { flushRedis } from './support/redis';

jest.setTimeout(600_000);

const { alias } = namesOnThePage;
const next = 'cities-v3';
const documents = 4_000;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    settings: { ...blockAlone, 'aosc.backfill.controller.batch.max_docs': '40' },
  });
});
afterAll(() => environment.stop());

/** kill -9 of every process, and everything that Redis and the records know of it. */
async function loseTheService(): Promise<void> {
  const { service, stack, http } = environment;
  await Promise.all([...service.workers, ...service.schedulers, service.api].map((each) => each.kill()));
  await flushRedis(stack.redisUrl);
  await deleteIndices(http, [systemIndex]);
}

async function startTheServiceAgain(): Promise<void> {
  const { service } = environment;
  await service.startApi();
  await Promise.all([service.startScheduler(), service.startWorker()]);
}

function write(id: string): Promise<unknown> {
  return callJson(environment.http, (answer) => answer, 'PUT', `/${alias}/_doc/${id}`, { key: id });
}

/** Some documents are copied, most are not, and every shard holds a snapshot. */
async function midBackfill(): Promise<QuietMigration> {
  const migration = await startQuietMigration(environment, { alias, documents });
  await migration.until('a backfill in its middle', ({ shards }) =>
    Object.values(shards).every(
      ({ phase, backfill }) => phase === 'BACKFILLING' && (backfill?.documents_indexed ?? 0) > 0,
    ),
  );
  return migration;
}

async function underTheBlock(): Promise<QuietMigration> {
  const migration = await startQuietMigration(environment, { alias, documents, hold: true });
  await holdUnderTheBlock(environment, migration);
  return migration;
}

const parseAliases = createParser('answer of _alias', Type.Record(Type.String(), Type.Unknown()));

test.each([
  { when: 'BACKFILLING', reach: midBackfill, blocked: false },
  { when: 'CATCHING_UP, under the write block', reach: underTheBlock, blocked: true },
])(
  'the page undoes only with curl what is left of a service that died in $when',
  async ({ reach, blocked }) => {
    const { http, urls, apiUrl } = environment;
    await environment.keepingLogs(async () => {
      const { id, source, target } = await reach();
      await loseTheService();
      const left = (await findLeftovers({ urls, source, target })).join('\n');
      const kinds = [/^alias aosc-fence/m, /^alias aosc-token/m, /^ingest pipeline/m, /points in time/];
      for (const kind of kinds) expect(left).toMatch(kind);
      if (blocked) {
        expect(left).toMatch(/write-blocked/);
        expect(left).toMatch(/^alias aosc-block/m);
        await expect(write('refused')).rejects.toMatchObject({ answer: { status: 403 } });
      }

      const told = await followThePage(urls[0] ?? '');
      // A stranger sees whose block it is.
      if (blocked) expect(told).toContain(`migration [${id}] to [${target}]`);

      await createTargetIndex(http, { name: target, shards: 1 }); // the page has deleted it
      expect(await findLeftovers({ urls, source, target })).toEqual([]);
      await write('after');
      expect(Object.keys(await callJson(http, parseAliases, 'GET', `/_alias/${alias}`))).toEqual([source]);

      await startTheServiceAgain();
      await createTargetIndex(http, { name: next, shards: 4 });
      await startMigration(apiUrl, { source, target: next, alias });
      await waitForPhase(apiUrl, source, ['COMPLETED']);
      const { mismatches, judgedBySource } = await compareIndices({ urls, source, target: next });
      expect(describeMismatches(mismatches)).toEqual([]);
      expect(judgedBySource).toBe(documents + 1);
      expect(await findLeftovers({ urls, source, target: next, writeBlockExpected: true })).toEqual([]);
      await deleteIndices(http, [source, target, next]);
    });
  },
);

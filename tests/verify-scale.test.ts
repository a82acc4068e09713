import { readProcessCost } from '@aosc/local-stack';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectKept } from './support/expectations';
import { heldCutover, isHeld } from './support/held-cutover';
import { type Migration, removeIndices, runMigration, type Scenario } from './support/scenario';
import { quietDocuments, tamper, tampered, tamperMoved, updateQuiet } from './support/tampering';
import { verify } from './support/verify';

/** `SCALE_DOCUMENTS=200000` on a machine that is busy. */
const documents = Number(process.env['SCALE_DOCUMENTS'] ?? 1_000_000);
const longestMs = 1_800_000;
const nothing = { missing: 0, extra: 0, version: 0, routing: 0, source: 0 };

jest.setTimeout(4 * longestMs);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ heapMb: 2048 });
});
afterAll(() => environment.stop());

function* manyAndQuiet() {
  for (let n = 0; n < documents; n++) yield { id: `small-${n}`, source: `{"key":"small","revision":${n}}` };
  yield* quietDocuments;
}

const scripted = (script: string, prefix: string): Partial<Scenario> => ({
  transform: {
    script: { type: 'inline', source: script },
    expected: ({ id, source, ...rest }) => ({
      ...rest,
      id: `${prefix}${id}`,
      source: { ...source, moved: true },
    }),
  },
});

const kinds: readonly { readonly kind: string; readonly scenario: Partial<Scenario> }[] = [
  { kind: 'SPLIT_SHARD', scenario: {} },
  {
    kind: 'BULK_API',
    scenario: {
      source: { shards: 3 },
      target: { shards: 2, replicas: 1 },
      options: { accept_data_loss_if_custom_routing_is_used: true },
    },
  },
  { kind: 'a script', scenario: scripted('ctx._source.moved = true', '') },
  {
    kind: 'a script that sets ids',
    scenario: scripted("ctx._id = 'm/' + ctx._id; ctx._source.moved = true", 'm/'),
  },
];

async function readCopyMs(migration: Migration): Promise<number> {
  const { shards } = await migration.status();
  const backfills = Object.values(shards).flatMap(({ backfill }) => backfill ?? []);
  const ends = backfills.map(({ end_time_millis: end = 0 }) => end);
  return Math.max(...ends) - Math.min(...backfills.map(({ start_time_millis: start = 0 }) => start));
}

/** What the processes have taken so far, the writers' operations included. */
async function readCpu(environment: Environment): Promise<{ cluster: number; worker: number }> {
  const sum = async (processes: readonly { readonly pid: number }[]): Promise<number> => {
    const costs = await Promise.all(processes.map(({ pid }) => readProcessCost(pid)));
    return costs.reduce((all, cost) => all + (cost?.cpuSeconds ?? Number.NaN), 0);
  };
  return { cluster: await sum(environment.stack.nodes), worker: await sum(environment.workers()) };
}

test.each(kinds)(
  '$kind: wrong documents among a million are found under writes, and repaired where they keep their ids',
  async ({ kind, scenario }) => {
    const { http } = environment;
    const setsIds = kind === 'a script that sets ids';
    const result = await runMigration(
      environment,
      {
        ...heldCutover,
        ...scenario,
        // It is cancelled while it is held.
        settingsAfter: {},
        name: `verify-scale-${kinds.findIndex((each) => each.kind === kind)}`,
        documents: 1000,
        furtherDocuments: manyAndQuiet(),
        endsWithinMs: longestMs,
      },
      async (migration) => {
        const { source, target } = migration;
        const begun = await readCpu(environment);
        const look = (repair = false) => verify(environment, source, repair, longestMs);
        await updateQuiet(http, source);
        await until('a cutover that is held', async () => isHeld(await migration.status()), longestMs);
        await (setsIds ? tamperMoved : tamper)(http, target);
        const copied = await readCpu(environment);
        const found = await look();
        const verified = await readCpu(environment);
        const counts = setsIds ? { ...nothing, missing: 1, extra: 1, source: 1 } : tampered;
        expect(found).toMatchObject({ state: 'done', differences: { counts } });
        expect(found.documents_compared).toBeGreaterThan(documents);
        const verifyMs = (found.ended_at_millis ?? 0) - found.started_at_millis;
        const copyMs = await readCopyMs(migration);
        const seconds = (of: 'cluster' | 'worker'): string =>
          `${(copied[of] - begun[of]).toFixed(1)} and ${(verified[of] - copied[of]).toFixed(1)}`;
        console.info(
          `${kind}: copy ${copyMs} ms, verification ${verifyMs} ms, ${found.documents_compared} documents; ` +
            `s of CPU of the cluster ${seconds('cluster')}, of the worker ${seconds('worker')}`,
        );
        if (!setsIds) {
          expect(await look(true)).toMatchObject({ repaired: 8, differences: { counts: nothing } });
          expect((await look()).differences.counts).toEqual(nothing);
        }
        await migration.cancel();
      },
    );
    expect(result.status.phase).toBe('CANCELLED');
    expectKept(result);
    await removeIndices(environment, result.migration);
  },
);

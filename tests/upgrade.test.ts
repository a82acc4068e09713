import type { ServiceProcess } from '@aosc/local-stack';
import type { Build } from '@aosc/stack';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean, expectCopiedOnce } from './support/expectations';
import { countRounds, heldConvergence, letConverge, untilConverging } from './support/held-convergence';
import { heldCutover, holdInCatchingUp, openCutover } from './support/held-cutover';
import { buildPredecessor, findPredecessor } from './support/predecessor';
import {
  type Migration,
  openedInVainMs,
  removeIndices,
  runMigration,
  type Scenario,
} from './support/scenario';
import { stopAll } from './support/stop-all';

jest.setTimeout(1_200_000);

const held = { ...heldCutover, documents: 8_000, endsWithinMs: 240_000 } as const satisfies Partial<Scenario>;

/** Documents of a bulk: nothing is copied to its end while processes are replaced. */
const crawl = { 'aosc.backfill.controller.batch.max_docs': '1' } as const;
const pace = { 'aosc.backfill.controller.batch.max_docs': '500' } as const;

const predecessor = findPredecessor();
if (predecessor.type === 'missing') console.warn(`Nothing is upgraded: ${predecessor.reason}`);
const describeUpgrade = predecessor.type === 'found' ? describe : describe.skip;

/** undefined: today's */
type Version = Build | undefined;

/** One step in which every process is replaced, of a migration that has come to a phase. */
interface Handover {
  readonly phase: string;
  /** short, for the names of indices */
  readonly name: string;
  readonly options?: Scenario['options'];
  /** in force from before the start; default: `pace` */
  readonly settings?: typeof crawl | typeof pace;
  /** brings the migration there, has the processes replaced, and makes sure that the new ones go on */
  readonly during: (migration: Migration, replaceAll: ReplaceAll) => Promise<void>;
  readonly expect: typeof expectClean;
}

interface Replacing {
  /** after each of the workers */
  readonly between?: () => Promise<void>;
  /** workers that stand still, and do not react to the signal to end */
  readonly asleep?: readonly ServiceProcess[];
}
type ReplaceAll = (replacing?: Replacing) => Promise<void>;

let environment: Environment;

const handovers: readonly Handover[] = [
  {
    phase: 'BACKFILLING',
    name: 'copying',
    settings: crawl,
    expect: expectCopiedOnce,
    async during(migration, replaceAll) {
      await copying(migration);
      // While one worker is of each version, both copy.
      await replaceAll({ between: () => copyingOn(migration) });
      await copyingOn(migration);
      await environment.putSettings(pace);
      await openCutover(environment, migration);
    },
  },
  {
    phase: 'CONVERGING',
    name: 'converging',
    options: heldConvergence,
    expect: expectCopiedOnce,
    async during(migration, replaceAll) {
      const further = async (): Promise<void> => {
        const before = await countRounds(migration);
        await until('further rounds', async () => (await countRounds(migration)) > before + 2);
      };
      await untilConverging(migration);
      await replaceAll({ between: further });
      await further();
      await letConverge(migration);
      await openCutover(environment, migration);
    },
  },
  {
    phase: 'PREPARING_TARGET, and on through CUTTING_OVER meanwhile',
    name: 'preparing',
    expect: expectCopiedOnce,
    async during(migration, replaceAll) {
      await migration.recordOnce(({ targetRestored }) => targetRestored);
      await Promise.all([replaceAll(), openCutover(environment, migration)]);
    },
  },
  {
    phase: 'CATCHING_UP, under the write block',
    name: 'blocked',
    expect: expectClean,
    async during(migration, replaceAll) {
      // The workers stand still, and wake up when others have taken their shards.
      const release = await holdInCatchingUp(environment, migration);
      const asleep = environment.workers();
      await replaceAll({ asleep });
      release();
      await stopAll(asleep);
    },
  },
];

describeUpgrade(`a migration under writers, and ${nameOf()}`, () => {
  let before: Build;
  beforeAll(async () => {
    if (predecessor.type === 'missing') return;
    before = await buildPredecessor(predecessor.commit);
    environment = await startEnvironment({
      workers: 2,
      build: before,
      env: {
        // Longer than a handover takes: another process goes on only with what was handed back to it. But the version
        // before leaves a claim behind when the signal to end comes in the middle of one, and that must end within the
        // test.
        AOSC_LOCK_DURATION_MS: '120000',
        // Both workers are at work, each on a shard.
        AOSC_WORKER_BACKFILL_CONCURRENCY: '1',
        // Under the block all processes are replaced, which takes as long as they need to start.
        AOSC_WRITE_BLOCK_MAX_MS: '600000',
      },
      settings: { 'aosc.backfill.max_concurrent_per_node': '6' },
    });
  });
  afterAll(() => (environment as Environment | undefined)?.stop());

  test.each(handovers)('the version before begins it, and today goes on in $phase', async (handover) => {
    await handOver(handover, before, undefined);
  });

  test.each(handovers)('today begins it, and the version before goes on in $phase', async (handover) => {
    await handOver({ ...handover, name: `${handover.name}-back` }, undefined, before);
  });
});

function nameOf(): string {
  return predecessor.type === 'found' ? predecessor.name : 'the version before';
}

async function handOver(handover: Handover, from: Version, to: Version): Promise<void> {
  const { name, options = {}, settings = pace } = handover;
  await replaceAll(from);
  await environment.putSettings(settings);
  const scenario: Scenario = {
    ...held,
    name: `upgrade-${name}`,
    options,
    // When the version before gets the signal to end, it does not wait for a snapshot that it is opening.
    leftoversWithinMs: openedInVainMs,
  };
  const result = await runMigration(environment, scenario, (migration) =>
    handover.during(migration, (replacing) => replaceAll(to, replacing)),
  );
  handover.expect(result);
  for (const { phase, snapshotsLost } of await result.migration.shards()) {
    expect({ phase, snapshotsLost }).toEqual({ phase: 'COMPLETED', snapshotsLost: 0 });
  }
  await removeIndices(environment, result.migration);
}

/** One process after the other, in the order that the documentation names: workers, schedulers, API. */
async function replaceAll(version: Version, { between, asleep = [] }: Replacing = {}): Promise<void> {
  const { service } = environment;
  service.useBuild(version);
  for (const worker of environment.workers()) {
    if (!asleep.includes(worker)) await stopAll([worker]);
    await service.startWorker();
    await between?.();
  }
  for (const scheduler of service.schedulers.filter((process) => process.isRunning())) {
    await stopAll([scheduler]);
    await service.startScheduler();
  }
  await stopAll([service.api]);
  await service.startApi();
}

const positions = async (migration: Migration): Promise<readonly number[]> =>
  (await migration.shards()).map(({ copy }) => copy?.watermark ?? 0);

/** Each shard is owned by a worker that has copied a part of it. */
function copying(migration: Migration): Promise<void> {
  return until('shards that are copied', async () =>
    (await migration.shards()).every(
      ({ phase, writer, copy }) =>
        phase === 'BACKFILLING' && writer.owner !== undefined && (copy?.watermark ?? 0) > 0,
    ),
  );
}

/** Each shard has come further, and none to its end. */
async function copyingOn(migration: Migration): Promise<void> {
  const before = await positions(migration);
  await until('each shard to come further', async () =>
    (await positions(migration)).every((now, shard) => now > (before[shard] ?? 0)),
  );
  await copying(migration);
}

import { isTerminalPhase } from '@aosc/domain';
import { ClusterError } from '@aosc/engine';
import { borrowCluster, type Cluster } from '../races/support/cluster';
import { drive } from '../races/support/drive';
import { createBarrier } from '../races/support/faults';
import type { Harness } from '../races/support/harness';
import { createPair, someDocuments } from '../races/support/pairs';
import { expectSwapped, guarded } from './support/ends';
import { holds } from './support/hold-moments';
import { beforeEachCall } from './support/interpose';
import { removePast, settingsOfSource, write, writePast } from './support/waiting-writes';

jest.setTimeout(900_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

const looks = { maxLooks: 400, pauseMs: 10 };
const create = () => createPair(cluster, { ...guarded, shards: [2, 2], documents: someDocuments(40), holds });

const hasEnded = async (harness: Harness) => isTerminalPhase((await harness.record()).phase);
const isHold = (what: string, [settings]: readonly unknown[]): boolean =>
  what === 'source.settings.put' &&
  JSON.stringify(settings).includes('"index.routing.allocation.enable":"none"');
const isSwap = (what: string, args: readonly unknown[], { alias }: Harness): boolean =>
  what === 'aliases.update' && JSON.stringify(args[0]).includes(`"alias":"${alias}"`);

/** The swap has happened, the copy is exact, and the source has its settings. */
async function expectEnd(harness: Harness, settings: Readonly<Record<string, string>>): Promise<void> {
  expect((await harness.record()).phase).toBe('COMPLETED');
  await harness.advance();
  await expectSwapped(cluster, harness);
  expect(await settingsOfSource(cluster, harness)).toEqual(settings);
}

const changes = ['source.settings.put', 'target.settings.put', 'aliases.update', 'store.replaceMigration'];

/** Another scheduler has had the migration while the first stood still right before a change. */
type Meanwhile = (harness: Harness) => Promise<void>;

const swaps: Meanwhile = async (harness) => {
  expect(await drive(harness, looks)).toBe('COMPLETED');
};

/** Or swaps, when the record says by then that there is no way back. */
const undoes: Meanwhile = async (harness) => {
  harness.passTime(holds.maxHoldMs + 1000);
  await drive(harness, {
    ...looks,
    isOver: async () => (await harness.record()).phase === 'PREPARING_TARGET' || (await hasEnded(harness)),
  });
  if (!(await hasEnded(harness))) expect(await write(cluster, harness, 'meanwhile')).toBe('written');
};

/**
 * One scheduler stands still right before its nth change from the hold on, until another one has come so far.
 * @returns false: it makes fewer changes than that
 */
async function standsStill(nth: number, meanwhile: Meanwhile): Promise<boolean> {
  const harness = await create();
  const settings = await settingsOfSource(cluster, harness);
  const barrier = createBarrier();
  let seen = 0;
  const first = drive(harness, {
    ...looks,
    faults: beforeEachCall(async (what, args) => {
      if (seen === 0 && !isHold(what, args)) return;
      if (changes.includes(what) && ++seen === nth) await barrier.pass();
    }),
  });
  const isStill = await Promise.race([barrier.reached.then(() => true), first.then(() => false)]);
  if (isStill) {
    await meanwhile(harness);
    barrier.open();
    harness.passTime(6000);
    await first;
  }
  await expectEnd(harness, settings);
  return isStill;
}

test.each([
  ['has swapped', swaps],
  ['has undone the attempt', undoes],
])('a scheduler that stands still before each of its changes, until another one %s', async (_, meanwhile) => {
  let nth = 1;
  while (await standsStill(nth, meanwhile)) nth++;
  // hold, rounds, counts, block, proof, swap, and the end
  expect(nth).toBeGreaterThan(8);
});

test('two schedulers that act at the same time', async () => {
  for (let run = 0; run < 6; run++) {
    const harness = await create();
    const settings = await settingsOfSource(cluster, harness);
    const phases = await Promise.all([drive(harness, looks), drive(harness, looks)]);
    expect(phases).toEqual(['COMPLETED', 'COMPLETED']);
    await expectEnd(harness, settings);
  }
});

/** Scheduler and jobs with something before each of their calls. */
async function driveAll(harness: Harness, faults: ReturnType<typeof beforeEachCall>): Promise<void> {
  for (let look = 0; look < looks.maxLooks && !(await hasEnded(harness)); look++) {
    await harness.advance(faults).catch((error: unknown) => {
      if (!(error instanceof ClusterError)) throw error;
    });
    for (const { kind, shard } of harness.takeDue()) await harness.job(kind, shard, { faults });
    if ((await harness.record()).phase === 'PREPARING_TARGET') harness.passTime(6000);
  }
}

test('writes that do not wait, before each kind of request from the hold to the swap', async () => {
  const met = new Set<string>();
  for (let isNew = true; isNew;) {
    isNew = false;
    const harness = await create();
    const settings = await settingsOfSource(cluster, harness);
    let state: 'before' | 'held' | 'swapped' = 'before';
    await driveAll(
      harness,
      beforeEachCall(async (what, args) => {
        if (isHold(what, args)) state = 'held';
        if (state !== 'held') return;
        if (isSwap(what, args, harness)) state = 'swapped';
        if (isNew) return;
        const { phase, writeBlock } = await harness.record();
        const moment = `${phase} ${String(writeBlock !== undefined)} ${what}`;
        if (met.has(moment)) return;
        met.add(moment);
        isNew = true;
        await writePast(cluster, harness, 'd3');
        await writePast(cluster, harness, moment.replaceAll(' ', '-'));
        await removePast(cluster, harness, 'd4');
      }),
    );
    await expectEnd(harness, settings);
  }
  expect(met.size).toBeGreaterThan(20);
});

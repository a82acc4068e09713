import type { ShardRecord, Snapshot } from '@aosc/contract';
import { newShardRecord } from '@aosc/domain';
import { shardJobName } from '@aosc/queue';
import type { ShardName } from '@aosc/store';
import { snapshotOn } from './__tests__/copied-shards';
import { createBackfillPermits } from './backfill-permit';

const live = new AbortController().signal;
const call = { signal: live };
const now = 1_000_000;
const shardCount = 3;
const snapshotAt = (nodeId: string): Snapshot => ({ ...snapshotOn(nodeId), openedAtMillis: now });

/** Migrations of three shards each on a cluster where every primary is at node `n`, and what is asked of it. */
function createFleet(keys: readonly string[], limit = 1) {
  const records = new Map<string, ShardRecord>();
  for (const key of keys) {
    for (let shard = 0; shard < shardCount; shard += 1)
      records.set(shardJobName(key, shard), newShardRecord(key, shard, 0));
  }
  const asked = { running: 0, settings: 0, routing: [] as string[], polled: [] as (readonly ShardName[])[] };
  const active: string[] = [];
  const fleet = {
    asked,
    active,
    /** how long the process has stood still since it has read the records */
    stoodStillMs: 0,
    /** what happens right after the records were read */
    afterPoll: (): Promise<void> => Promise.resolve(),
    change(key: string, shard: number, parts: Partial<ShardRecord>) {
      const name = shardJobName(key, shard);
      records.set(name, { ...(records.get(name) ?? newShardRecord(key, shard, 0)), ...parts });
    },
    claim(key: string, shard: number, parts: Partial<ShardRecord> = {}) {
      const writer = { epoch: 1, fenceReady: false, owner: 'o', heartbeatAtMillis: now };
      this.change(key, shard, { writer, ...parts });
    },
    ask(key: string, shard: number): Promise<boolean> {
      return permitOf('n', shardJobName(key, shard)).isGranted(call);
    },
  };
  const permitOf = createBackfillPermits({
    indexOf: (index) => ({
      state: {
        readRouting: () => {
          asked.routing.push(index);
          return Promise.resolve({ primaries: [0, 1, 2].map((shard) => ({ shard, nodeId: 'n' })) });
        },
      },
    }),
    store: {
      listRunning: () => {
        asked.running += 1;
        return Promise.resolve(
          keys.map((key) => ({ schemaVersion: 1, key, sourceIndex: key, sourceShardCount: shardCount })),
        );
      },
      pollShardsNamed: async (wanted) => {
        asked.polled.push(wanted);
        const found = wanted.flatMap(({ key, shard }) => records.get(shardJobName(key, shard)) ?? []);
        await fleet.afterPoll();
        return found.map((record) => ({ record, seqNo: 0, primaryTerm: 1 }));
      },
      readSettings: () => {
        asked.settings += 1;
        const persistent = { 'aosc.backfill.max_concurrent_per_node': String(limit) };
        const record = { kind: 'settings' as const, schemaVersion: 1, persistent, transient: {} };
        return Promise.resolve({ record, seqNo: 0, primaryTerm: 1 });
      },
    },
    queues: {
      backfills: {
        listActive: () => Promise.resolve([...active]),
        applyPermits: () => Promise.resolve(),
      },
    },
    staleAfterMs: 1000,
    now: () => now + fleet.stoodStillMs,
    onQueueError: () => undefined,
    signal: live,
  });
  return fleet;
}

test.each([1, 20])(
  'with %i migrations, jobs that ask at once share one look at the records and the setting',
  async (count) => {
    const keys = Array.from({ length: count }, (_, at) => `m${at}`);
    const fleet = createFleet(keys, 2);
    for (const shard of [0, 1, 2]) {
      fleet.claim('m0', shard);
      fleet.active.push(shardJobName('m0', shard));
    }
    expect(await Promise.all([0, 1, 2].map((shard) => fleet.ask('m0', shard)))).toEqual([true, true, false]);
    const { running, settings, polled, routing } = fleet.asked;
    expect({ running, settings, polls: polled.length, routing }).toEqual({
      running: 1,
      settings: 1,
      polls: 1,
      routing: [],
    });
    expect(polled[0]).toHaveLength(count * shardCount);
  },
);

test('a job that asks while the records are read gets what is read after that', async () => {
  const fleet = createFleet(['a', 'b']);
  fleet.active.push(shardJobName('a', 0));
  const second = new Promise<boolean>((resolve, reject) => {
    fleet.afterPoll = async () => {
      fleet.afterPoll = () => Promise.resolve();
      // Redis has forgotten the job of this one, which has begun meanwhile.
      fleet.claim('b', 0, { snapshot: snapshotAt('n') });
      fleet.ask('a', 0).then(resolve, reject);
      await new Promise(setImmediate);
    };
  });
  expect(await fleet.ask('a', 0)).toBe(true);
  expect(await second).toBe(false);
  expect(fleet.asked.polled).toHaveLength(2);
});

test('a shard that is past its copy holds no permit, though its worker reads from the node', async () => {
  const fleet = createFleet(['a', 'b']);
  fleet.active.push(shardJobName('a', 0));
  fleet.claim('b', 0, { snapshot: snapshotAt('n'), phase: 'CONVERGING' });
  expect(await fleet.ask('a', 0)).toBe(true);
});

test('a shard at work that Redis has forgotten holds its permit, where its snapshot is or will be', async () => {
  const fleet = createFleet(['a', 'b', 'c']);
  fleet.active.push(shardJobName('a', 0));
  fleet.claim('b', 0, { snapshot: snapshotAt('elsewhere') });
  expect(await fleet.ask('a', 0)).toBe(true);
  expect(fleet.asked.routing).toEqual([]);
  // A shard that has no snapshot yet will open it where its primary is.
  fleet.claim('b', 1);
  fleet.claim('b', 2);
  expect(await fleet.ask('a', 0)).toBe(false);
  expect(fleet.asked.routing).toEqual(['b']);
});

test('a job that begins while the records are read is younger, and does not count as forgotten by Redis', async () => {
  const fleet = createFleet(['a', 'b']);
  fleet.active.push(shardJobName('a', 0));
  fleet.afterPoll = () => Promise.resolve(void fleet.active.push(shardJobName('b', 0)));
  fleet.claim('b', 0, { snapshot: snapshotAt('n') });
  expect(await fleet.ask('a', 0)).toBe(true);
});

test('a process that stands still after its look at the records takes no owner for dead', async () => {
  const fleet = createFleet(['a']);
  fleet.claim('a', 0);
  fleet.claim('a', 1);
  // Redis has forgotten the job of shard 0.
  fleet.active.push(shardJobName('a', 1));
  fleet.afterPoll = () => {
    fleet.stoodStillMs = 2_500;
    return Promise.resolve();
  };
  expect(await fleet.ask('a', 1)).toBe(false);
});

import {
  callRaw,
  createRandom,
  evaluatePermits,
  type LimitChange,
  mostShards,
  type PermitSample,
  type WorkerLoss,
} from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';
import { expectClean } from './support/expectations';
import { oneSearchThread } from './support/held-search-thread';
import { holdId, type PermitSampler, startPermitSampler } from './support/permit-sampler';
import { type Migration, removeIndices, runMigration } from './support/scenario';
import { readLog } from './support/service-log';
import { type Incident, startWorkerUnrest } from './support/worker-unrest';

jest.setTimeout(900_000);

const workers = 6;
const shards = 24;
const lockMs = 4000;
/** Far below a request time-out, which is what may be: the cluster is done with a read within a second. */
const overlapMs = 5000;
/**
 * The scheduler reads the settings once a second and writes them to the queues twice a second, on a busy machine later.
 */
const settleMs = 3000;
const permits = 'aosc.backfill.max_concurrent_per_node';
/** A page of eight documents for each bulk: a shard takes long enough for every limit to be met. */
const slow = {
  'aosc.backfill.controller.batch.max_docs': '8',
  'aosc.backfill.read.page_size': '8',
} as const;
const fast = {
  'aosc.backfill.controller.batch.max_docs': '500',
  'aosc.backfill.read.page_size': '1000',
} as const;

/** Another one each time; the printed one again with `PERMITS_SEED`. */
const seed = Number(process.env['PERMITS_SEED'] ?? Date.now() % 2 ** 31);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    nodes: ['data-a', 'data-b'].map((name) => ({ name, heapMb: 640, settings: oneSearchThread })),
    workers,
    env: {
      AOSC_LOCK_DURATION_MS: String(lockMs),
      // Shards that are through go on replaying, and are not what this is about.
      AOSC_REPLAY_INTERVAL_MS: '3000',
    },
    settings: { ...slow, [permits]: '0' },
  });
});
afterAll(() => environment.stop());

test('never more shards of a node than permits, whatever happens to workers and limits; and every permit comes back', async () => {
  console.info(`seed ${seed}`);
  const limits: LimitChange[] = [{ limit: 0, sentAt: 0, acknowledgedAt: 0 }];
  const setLimit = async (limit: number): Promise<void> => {
    const sentAt = Date.now();
    await environment.putSettings({ [permits]: String(limit) });
    limits.push({ limit, sentAt, acknowledgedAt: Date.now() });
  };
  const side = { shards, routingShards: shards };
  const scenario = {
    name: 'permits',
    source: side,
    target: side,
    documents: 10_000,
    writers: { rate: 100 },
  };
  let losses: readonly WorkerLoss[] = [];
  let incidents: readonly Incident[] = [];
  let sampler: PermitSampler | undefined;

  const result = await runMigration(environment, scenario, async (migration) => {
    const seen = (sampler = await startPermitSampler(environment.http, migration, lockMs));
    expect(seen.nodes).toHaveLength(2);
    const unrest = startWorkerUnrest(environment, createRandom(seed));
    ({ incidents } = unrest);
    try {
      await samplesLater(seen, 20);
      expect(mostShards([...seen.reads, ...seen.claims])).toBe(0);
      await setLimit(1);
      await untilHeld(seen, 1);
      await samplesLater(seen, 20);
      await setLimit(5);
      await untilHeld(seen, 5);
      await samplesLater(seen, 10);
      await setLimit(2);
      await untilAtMost(seen, 2);
      await samplesLater(seen, 20);
      await setLimit(0);
      await untilAtMost(seen, 0);
      const drainedAt = Date.now();
      await samplesLater(seen, 20);
      expect(mostShards(since(drainedAt, [...seen.reads, ...seen.claims]))).toBe(0);
      await setLimit(3);
      await untilHeld(seen, 3);
      await environment.putSettings(fast);
      await unrest.stop();
      await migration.waitFor('every shard copied', ({ shards: all }) =>
        Object.values(all).every(({ phase }) => phase === 'CONVERGING' || phase === 'CONVERGED'),
      );
    } finally {
      await unrest.stop();
      await seen.stop();
    }
    losses = await listLosses(migration, incidents);
  });

  if (sampler === undefined) throw new Error('nothing was sampled');
  const { reads, claims, nameless } = sampler;
  expect(nameless).toEqual([]);
  // A shard has its permit before its first read is seen: the snapshot is opened and bulks are under way meanwhile.
  const judge = (samples: readonly PermitSample[], otherLooks: readonly PermitSample[]) =>
    evaluatePermits({ limits, samples, otherLooks, losses, settleMs, overlapMs });
  expect({ reads: judge(reads, claims), claims: judge(claims, reads) }).toEqual({ reads: [], claims: [] });
  // Permits are used, and what judged them has seen it.
  expect(mostShards(reads)).toBeGreaterThan(2);
  expect(mostShards(claims)).toBe(5);
  for (const kind of ['killed', 'paused'] as const) {
    expect(incidents.filter((incident) => incident.kind === kind).length).toBeGreaterThan(2);
  }
  // What a worker had opened and not yet written down when it was killed closes by itself.
  const isOpen = (line: string): boolean => line.includes('open points in time');
  if (result.leftovers.some(isOpen)) {
    const open = await callRaw(environment.http, { method: 'GET', path: '/_search/point_in_time/_all' });
    expect([...result.migration.watch.pitIds].filter((recorded) => open.includes(recorded))).toEqual([]);
  }
  expectClean({ ...result, leftovers: result.leftovers.filter((line) => !isOpen(line)) });
  await removeIndices(environment, result.migration);
});

function since(at: number, samples: readonly PermitSample[]): readonly PermitSample[] {
  return samples.filter(({ from }) => from >= at);
}

/** So many looks at each node later. */
function samplesLater({ claims, nodes }: PermitSampler, count: number): Promise<void> {
  const goal = claims.length + count * nodes.length;
  return until(`${count} samples`, () => claims.length >= goal);
}

/** Each node was seen with so many shards at once, from now on. */
function untilHeld({ claims, nodes }: PermitSampler, limit: number): Promise<void> {
  const begin = Date.now();
  return until(`${limit} shards of each node`, () =>
    nodes.every((node) => mostShards(since(begin, claims).filter((each) => each.node === node)) === limit),
  );
}

/** Neither by what is read nor by what is claimed was a node seen with more shards, for some looks. */
function untilAtMost(sampler: PermitSampler, limit: number): Promise<void> {
  const looks = 5 * sampler.nodes.length;
  return until(`${limit} shards of each node at most`, () => {
    const last = [sampler.reads, sampler.claims].flatMap((samples) => samples.slice(-looks));
    return mostShards(last) <= limit;
  });
}

/** What each worker that was killed or paused had begun by then, by its log. */
function listLosses({ id }: Migration, incidents: readonly Incident[]): Promise<readonly WorkerLoss[]> {
  return Promise.all(
    incidents.map(async ({ worker, at }) => {
      const begun = (await readLog(worker, id, 'backfill_start')).filter(
        ({ timestamp = '' }) => Date.parse(timestamp) <= at,
      );
      return { at, holdIds: new Set(begun.map(({ shard = -1, epoch = -1 }) => holdId(shard, epoch))) };
    }),
  );
}

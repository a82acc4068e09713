import { shardOf } from '@aosc/domain';
import {
  compareByKey,
  createTargetIndex,
  describeMismatches,
  type LoadedDocument,
  loadDocuments,
} from '@aosc/testkit';
import { borrowCluster, type Cluster } from './support/cluster';
import { createHarness, type Harness } from './support/harness';
import { createPair, routingShards, someSource } from './support/pairs';
import { transformed } from './support/transformed';

jest.setTimeout(600_000);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await borrowCluster();
});
afterAll(() => cluster.stop());

interface Key {
  readonly id: string;
  readonly routing?: string;
}
type Shards = readonly [source: number, target: number];

const count = 24;
/** Text that was cut inside an emoji. */
const half = '\ud83d';
const numbers = Array.from({ length: count * 16 }, (_, n) => n);
const halfIds: readonly Key[] = numbers.map((n) => ({ id: `x${n}${half}` }));
const halfRoutings: readonly Key[] = numbers.map((n) => ({ id: `x${n}`, routing: `r${n}${half}` }));
const replacements: readonly Key[] = numbers.map((n) => ({ id: `x${n}\ufffd` }));
const halfIdsWithRouting: readonly Key[] = numbers.map((n) => ({ id: `x${n}${half}`, routing: `r${n}` }));

function homeOf(key: Parameters<typeof shardOf>[0], shardCount: number): number {
  return shardOf(key, { shardCount, routingShardCount: routingShards, partitionSize: 1 });
}

/** Those that a search shows under a key of the same shard. */
function staying(keys: readonly Key[], shardCount: number): readonly Key[] {
  return keys.filter(
    ({ id, routing }) =>
      homeOf({ id, routing }, shardCount) ===
      homeOf({ id: id.toWellFormed(), routing: routing?.toWellFormed() }, shardCount),
  );
}

function straying(keys: readonly Key[], shardCount: number): readonly Key[] {
  const kept = staying(keys, shardCount);
  return keys.filter((key) => !kept.includes(key));
}

function documentsOf(keys: readonly Key[]): LoadedDocument[] {
  return keys.map((key) => ({ ...key, source: someSource(key.id) }));
}

async function write(harness: Harness, keys: readonly Key[]): Promise<void> {
  await loadDocuments(cluster.http, harness.source, documentsOf(keys));
}

async function expectFoundByKey(harness: Harness, keys: readonly Key[]): Promise<void> {
  const asked = keys.map(({ id, routing }) => ({ id, routing }));
  const { source, target } = harness;
  const mismatches = await compareByKey(cluster.http, { source, target, keys: asked });
  expect(describeMismatches(mismatches)).toEqual([]);
}

async function expectExact(harness: Harness, keys: readonly Key[]): Promise<void> {
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
  await harness.expectExact();
  await expectFoundByKey(harness, keys);
}

/** The migration names a document, the alias stays where it is, and the source takes writes. */
async function expectRefusal(harness: Harness, reason: RegExp): Promise<string> {
  const { phase, errorMessage = '' } = await harness.runUntil('COMPLETED');
  expect(errorMessage).toMatch(reason);
  expect(phase).toBe('FAILED');
  const call = { signal: new AbortController().signal };
  await expect(cluster.ports.aliases.indicesOf(harness.alias, call)).resolves.toEqual([harness.source]);
  await cluster.put(harness.source, { id: 'afterwards' }, someSource('afterwards'));
  return errorMessage;
}

const foreign =
  /document \[x.* is in source shard \[\d\], and the key that a search shows leads to shard \[\d\]/;
const untold = /document \[x.* may have been written under another key than a search shows/;

const kinds = { _id: halfIds, _routing: halfRoutings } as const;
type Row = readonly [kind: keyof typeof kinds, source: number, target: number];

test.each<Row>([
  ['_id', 2, 2],
  ['_id', 3, 1],
  ['_routing', 2, 4],
  ['_routing', 3, 2],
])(
  'half of a pair in an %s, %d -> %d shards: a document that is shown under a key of another shard is named',
  async (kind, ...shards) => {
    const documents = documentsOf(straying(kinds[kind], shards[0]).slice(0, count));
    await expectRefusal(await createPair(cluster, { shards, documents }), foreign);
  },
);

test.each<Row>([
  ['_id', 1, 2],
  ['_id', 3, 2],
  ['_routing', 1, 3],
  ['_routing', 2, 4],
])(
  'half of a pair in an %s, %d -> %d shards: the shard of the source does not determine that of the target',
  async (kind, ...shards) => {
    const documents = documentsOf(staying(kinds[kind], shards[0]).slice(0, count));
    await expectRefusal(await createPair(cluster, { shards, documents }), untold);
  },
);

test.each<Row>([
  ['_id', 1, 1],
  ['_id', 4, 2],
  ['_routing', 2, 2],
  ['_routing', 2, 1],
])(
  'half of a pair in an %s, %d -> %d shards: where the shard of the source determines it, the application finds its documents',
  async (kind, ...shards) => {
    const kept = staying(kinds[kind], shards[0]).slice(0, count);
    expect(kept).toHaveLength(count);
    const harness = await createPair(cluster, { shards, documents: documentsOf(kept) });
    await harness.backfill();
    await cluster.removeAll(harness.source, kept.slice(0, 3));
    await write(harness, kept.slice(2, 6));
    await harness.round();
    await cluster.removeAll(harness.source, kept.slice(4, 6));
    await expectExact(harness, kept);
  },
);

test('a document that is written while the migration runs is named', async () => {
  const shards = [2, 2] as const;
  const documents = documentsOf(staying(halfIds, shards[0]).slice(0, count));
  const late = straying(halfIds, shards[0]).slice(0, 1);
  const harness = await createPair(cluster, { shards, documents });
  await harness.backfill();
  await write(harness, late);
  const reason = await expectRefusal(harness, foreign);
  expect(reason).toContain(`[${late[0]?.id.toWellFormed() ?? '?'}]`);
});

test.each<Shards>([
  [1, 2],
  [2, 4],
  [3, 2],
])('%d -> %d shards: a routing leads a document to its shard, whatever its id shows', async (...shards) => {
  const keys = halfIdsWithRouting.slice(0, count);
  const harness = await createPair(cluster, { shards, documents: documentsOf(keys) });
  await harness.backfill();
  await cluster.removeAll(harness.source, keys.slice(0, 2));
  await write(harness, keys.slice(1, 4));
  await expectExact(harness, keys);
});

test('in a partitioned target the id leads as well', async () => {
  const harness = await createPair(cluster, {
    shards: [1, 3],
    documents: documentsOf(halfIdsWithRouting.slice(0, count)),
    targetSettings: { 'index.routing_partition_size': 2 },
    targetMappings: { dynamic: false, _routing: { required: true } },
  });
  await expectRefusal(harness, untold);
});

test('U+FFFD that the application has sent itself stays where it is, or is named', async () => {
  const keys = replacements.slice(0, count);
  const documents = documentsOf(keys);
  await expectExact(await createPair(cluster, { shards: [3, 3], documents }), keys);
  await expectRefusal(await createPair(cluster, { shards: [1, 2], documents }), untold);
});

test('what the reason says helps: the routing that it names reaches the document, and a new migration completes', async () => {
  const shards = [3, 3] as const;
  const kept = staying(halfIds, shards[0]).slice(0, count);
  const documents = documentsOf([...straying(halfIds, shards[0]).slice(0, 1), ...kept]);
  const harness = await createPair(cluster, { shards, documents });
  const reason = await expectRefusal(harness, foreign);
  const [, id = '', routing = ''] = /document \[(.*?)\] .*routing=(\S+) the source/.exec(reason) ?? [];
  await cluster.remove(harness.source, { id, routing });
  const target = cluster.name('target');
  await createTargetIndex(cluster.http, { name: target, shards: shards[1], routingShards });
  const { source, alias } = harness;
  await expectExact(await createHarness(cluster, { source, target, alias }), kept);
});

describe('by files', () => {
  const pairOf = (shards: Shards, keys: readonly Key[]): Promise<Harness> =>
    createPair(cluster, { shards, byFiles: true, documents: documentsOf(keys) });

  test('a clone has each document where it was, whatever key is shown', async () => {
    const keys = [...straying(halfIds, 2), ...staying(halfIds, 2)].slice(0, count);
    await expectExact(await pairOf([2, 2], keys), keys);
  });

  test.each(['written again', 'deleted'])('a clone in which such a document is %s names it', async (how) => {
    const keys = straying(halfIds, 2).slice(0, count);
    const harness = await pairOf([2, 2], keys);
    await harness.prepare();
    const one = keys.slice(0, 1);
    await (how === 'deleted' ? cluster.removeAll(harness.source, one) : write(harness, one));
    await expectRefusal(harness, foreign);
  });

  test.each<Shards>([
    [1, 2],
    [2, 4],
  ])('%d -> %d shards: a split may put it where no application looks, so it is named', async (...shards) => {
    const keys = staying(halfIds, shards[0]).slice(0, count);
    await expectRefusal(await pairOf(shards, keys), untold);
  });

  test('a split leaves out what is shown under a key of another shard, so it is named', async () => {
    await expectRefusal(await pairOf([2, 4], straying(halfIds, 2).slice(0, count)), foreign);
  });

  describe('a split that leaves out as many documents as are deleted before the first round: the counts agree', () => {
    const [left = { id: '' }] = straying(halfIds, 2);
    const [deleted = left, ...others] = numbers
      .map((n) => ({ id: `w${n}`, routing: undefined }))
      .filter((key) => homeOf(key, 2) === homeOf({ ...left, routing: undefined }, 2))
      .map(({ id }): Key => ({ id }));

    async function followed(): Promise<Harness> {
      const harness = await pairOf([2, 4], [left, deleted, ...others.slice(0, count)]);
      await harness.prepare();
      await cluster.removeAll(harness.source, [deleted]);
      await harness.backfill();
      expect(harness.events.filter((event) => event === 'files_followed')).toHaveLength(2);
      return harness;
    }

    test('it is named', async () => {
      await expectRefusal(await followed(), foreign);
    });

    test('its delete names it, before its key was read', async () => {
      const harness = await followed();
      await cluster.removeAll(harness.source, [left]);
      await expectRefusal(harness, foreign);
    });

    test('where its delete is lost with a snapshot, the sweep puts all right', async () => {
      const harness = await followed();
      await cluster.removeAll(harness.source, [left]);
      const pits = (await harness.shards()).map(({ snapshot }) => snapshot?.pitId ?? '');
      await cluster.ports
        .index(harness.source)
        .snapshots.close(pits, { signal: new AbortController().signal });
      await expectExact(harness, others.slice(0, count));
      expect(harness.events).toContain('sweep_complete');
    });
  });
});

const keepsIds = transformed('ctx._source.seen = true', ({ source, ...key }) => ({
  ...key,
  source: { ...source, seen: true },
}));
const prefixed = transformed("ctx._id = 'p-' + ctx._id", ({ id, ...rest }) => ({ id: `p-${id}`, ...rest }));
const cut = transformed('ctx._id = ctx._id.substring(0, ctx._id.length() - 1)', ({ id, ...rest }) => ({
  id: id.slice(0, -1),
  ...rest,
}));
const replaced = transformed("ctx._id = ctx._id.replace('\ufffd', '?')", ({ id, ...rest }) => ({
  id: id.toWellFormed().replace('\ufffd', '?'),
  ...rest,
}));

describe('with a transform', () => {
  test('that keeps ids a document is where it was', async () => {
    const kept = staying(halfIds, 2).slice(0, count);
    const harness = await createPair(cluster, {
      shards: [2, 2],
      documents: documentsOf(kept),
      transform: keepsIds,
    });
    await harness.runUntil('COMPLETED');
    await harness.expectExact();
    const { source, target } = harness;
    const keys = kept.map(({ id }) => ({ id, routing: undefined }));
    const found = await compareByKey(cluster.http, { source, target, keys, transform: keepsIds.expected });
    expect(describeMismatches(found)).toEqual([]);
  });

  test('that takes a doubtful key over into the target the document is named', async () => {
    const documents = documentsOf(staying(halfIds, 2).slice(0, count));
    const harness = await createPair(cluster, { shards: [2, 2], documents, transform: prefixed });
    await expectRefusal(
      harness,
      /the transform takes U\+FFFD of the key of document \[x\d+\ufffd\] \(target id \[p-x/,
    );
  });

  test('that leaves nothing of it the script decides', async () => {
    const documents = documentsOf(staying(halfIds, 2).slice(0, count));
    const harness = await createPair(cluster, { shards: [2, 2], documents, transform: replaced });
    await harness.runUntil('COMPLETED');
    await harness.expectExact();
  });

  test('that cuts a key inside a character the document is named', async () => {
    const documents = documentsOf(numbers.slice(0, count).map((n) => ({ id: `x${n}\u{1f30d}` })));
    const harness = await createPair(cluster, { shards: [2, 2], documents, transform: cut });
    await expectRefusal(
      harness,
      /the transform gives document \[x\d+\u{1f30d}\].* a key that is cut inside a character/u,
    );
  });
});

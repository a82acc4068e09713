import type { OpenSearchClient } from '../client/request';
import { findLaggingCopies } from './find-lagging-copies';

const call = { signal: new AbortController().signal };

interface Copy {
  readonly shard: number;
  readonly node: string | null;
  readonly primary?: boolean;
  readonly searchOnly?: boolean;
  /** the copy's own figures; left out: there are none */
  readonly maxSeqNo?: number;
}

interface Scene {
  readonly settings: Readonly<Record<string, string>>;
  readonly copies: readonly Copy[];
  readonly rows?: readonly { readonly shardId: string; readonly checkpoints_behind: string }[];
}

const bySegments = { 'index.replication.type': 'SEGMENT' };
const remote = { ...bySegments, 'index.remote_store.enabled': 'true' };

/** A cluster that shows one index as the scene has it. */
function createCluster({ settings, copies, rows = [] }: Scene): OpenSearchClient {
  const shards = [...new Set(copies.map(({ shard }) => shard))];
  const byShard = <T>(describe: (copy: Copy) => T | undefined): Record<string, readonly T[]> =>
    Object.fromEntries(
      shards.map((shard) => [
        String(shard),
        copies
          .filter((copy) => copy.shard === shard)
          .map(describe)
          .filter((told) => told !== undefined),
      ]),
    );
  const answerTo = (path: string): unknown => {
    if (path.startsWith('/_cat/segment_replication')) return rows;
    if (path.startsWith('/_cluster/state')) {
      return {
        cluster_uuid: 'c',
        version: 1,
        metadata: {
          cluster_coordination: { term: 1 },
          indices: {
            books: {
              state: 'open',
              aliases: [],
              routing_num_shards: 1024,
              settings: { 'index.uuid': 'u', 'index.number_of_shards': String(shards.length), ...settings },
              primary_terms: Object.fromEntries(shards.map((shard) => [String(shard), 1])),
            },
          },
        },
        routing_table: {
          indices: {
            books: {
              shards: byShard(({ shard, node, primary = false, searchOnly = false }) => ({
                shard,
                node,
                primary,
                searchOnly,
                state: node === null ? 'UNASSIGNED' : 'STARTED',
                allocation_id: { id: 'a' },
              })),
            },
          },
        },
      };
    }
    return {
      _shards: { total: copies.length, successful: copies.length, failed: 0 },
      indices: {
        books: {
          shards: byShard(({ node, primary = false, maxSeqNo }) =>
            maxSeqNo === undefined
              ? undefined
              : {
                  routing: { state: 'STARTED', primary, node },
                  commit: { user_data: { history_uuid: 'h' } },
                  seq_no: { max_seq_no: maxSeqNo, local_checkpoint: maxSeqNo, global_checkpoint: maxSeqNo },
                },
          ),
        },
      },
    };
  };
  return {
    send: ({ path }) => Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(answerTo(path))) }),
    close: () => Promise.resolve(),
    nodes: () => [],
  };
}

const find = (scene: Scene) => findLaggingCopies(createCluster(scene), 'books', call);
const primary = { shard: 0, node: 'p', primary: true, maxSeqNo: 9 };
const search = { shard: 0, node: 's', searchOnly: true };

test('with document replication a refresh reaches every copy', async () => {
  expect(await find({ settings: {}, copies: [primary, { shard: 0, node: 'r' }] })).toEqual([]);
});

describe('copies that a repository feeds', () => {
  test('show what their number says', async () => {
    const copies = [
      primary,
      { shard: 0, node: 'r', maxSeqNo: 9 },
      { ...search, maxSeqNo: 7 },
      { ...search, node: 't', maxSeqNo: 10 },
    ];
    expect(await find({ settings: remote, copies })).toEqual([
      { shard: 0, isSearchOnly: true, state: 'behind', shownSeqNo: 7 },
    ]);
  });

  test('are in doubt when there are no figures of them, or of their primary', async () => {
    const silent = { shard: 0, node: 'p', primary: true };
    expect(await find({ settings: remote, copies: [primary, search] })).toEqual([
      { shard: 0, isSearchOnly: true, state: 'unknown' },
    ]);
    expect(await find({ settings: remote, copies: [silent, { ...search, maxSeqNo: 9 }] })).toEqual([
      { shard: 0, isSearchOnly: true, state: 'unknown' },
    ]);
  });

  test('a copy that is away is not searched; a shard without any is not served', async () => {
    const away = { ...search, node: null };
    expect(await find({ settings: remote, copies: [primary, { ...search, maxSeqNo: 9 }, away] })).toEqual([]);
    expect(await find({ settings: remote, copies: [primary, away] })).toEqual([
      { shard: 0, isSearchOnly: true, state: 'away' },
    ]);
  });
});

describe('replicas that fetch from their primary', () => {
  const row = (shard: number, behind: number) => ({
    shardId: `[bo[o]ks][${shard}]`,
    checkpoints_behind: String(behind),
  });
  const copies = [
    { ...primary },
    { shard: 0, node: 'r', maxSeqNo: 9 },
    { shard: 1, node: 'q', primary: true, maxSeqNo: 4 },
    { shard: 1, node: 's', maxSeqNo: 4 },
  ];

  test('are behind by what their primary says', async () => {
    expect(await find({ settings: bySegments, copies, rows: [row(0, 0), row(1, 2)] })).toEqual([
      { shard: 1, isSearchOnly: false, state: 'behind' },
    ]);
  });

  test('without a row are in doubt', async () => {
    expect(await find({ settings: bySegments, copies, rows: [row(1, 0)] })).toEqual([
      { shard: 0, isSearchOnly: false, state: 'unknown' },
    ]);
    expect(await find({ settings: bySegments, copies, rows: [] })).toHaveLength(2);
  });

  test('of a shard that has never been written to have nothing to fetch, and no row', async () => {
    const empty = copies.map((copy) => ({ ...copy, maxSeqNo: -1 }));
    expect(await find({ settings: bySegments, copies: empty, rows: [] })).toEqual([]);
  });
});

test('an open index that is shown without one of its shards is asked again', async () => {
  const settings = { ...remote, 'index.number_of_shards': '2' };
  await expect(find({ settings, copies: [primary] })).rejects.toMatchObject({
    kind: 'transient',
    message: 'the cluster state shows 1 of 2 shards of books',
  });
});

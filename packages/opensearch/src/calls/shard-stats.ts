import { byName, createParser, maybe, ownValue } from '@aosc/contract';
import { type IndexStatePort, type Call, ClusterError, type PrimaryCheckpoint } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { ShardsSchema } from './shapes';
import type { AsksOf } from '../bind-calls';
import { requestJson, type OpenSearchClient } from '../client/request';
import { indexPath } from '../index-path';

const parseAnswer = createParser(
  'answer of _stats',
  Type.Object({
    _shards: ShardsSchema,
    indices: maybe(byName(Type.Object({ shards: maybe(byName(Type.Array(Type.Unknown()))) }))),
  }),
);

/** Which statistics the copies of an index's shards report. */
export interface ShardStats<T> {
  readonly metric: string;
  /** of each copy, for `filter_path` */
  readonly fields: readonly string[];
  readonly parseCopy: (value: unknown) => T;
}

/**
 * `GET {index}/_stats/{metric}?level=shards`: each copy reports itself. The answer leaves out copies that move, start
 * or are gone.
 * @returns by shard number
 * @throws ClusterError 'transient' when a copy has failed
 */
export async function readShardStats<T>(
  client: OpenSearchClient,
  index: string,
  { metric, fields, parseCopy }: ShardStats<T>,
  call: Call,
): Promise<ReadonlyMap<number, readonly T[]>> {
  const path = `/${indexPath(index)}/_stats/${metric}`;
  const wanted = ['_shards', ...fields.map((field) => `indices.*.shards.*.${field}`)];
  const query = { level: 'shards', filter_path: wanted.join(',') };
  const parse = (value: unknown) => {
    const { _shards, indices } = parseAnswer(value);
    const shards = Object.entries(ownValue(indices, index)?.shards ?? {});
    return {
      failed: _shards.failed,
      copies: shards.map(([shard, copies]) => [Number(shard), copies.map(parseCopy)] as const),
    };
  };
  const { failed, copies } = await requestJson(client, { method: 'GET', path, query }, parse, call);
  if (failed !== 0) {
    throw new ClusterError('transient', `_stats of ${index} failed on ${failed} shard copies`);
  }
  return new Map(copies);
}

const CopySchema = Type.Object({
  routing: Type.Object({ state: Type.String(), primary: Type.Boolean(), node: Type.String() }),
  commit: Type.Object({ user_data: Type.Object({ history_uuid: Type.String() }) }),
  seq_no: Type.Object({
    max_seq_no: Type.Integer(),
    global_checkpoint: Type.Integer(),
  }),
});
/** A shard that is made of another one's files tells nothing of itself until they are linked. */
const StartingCopySchema = Type.Object({ routing: Type.Object({ state: Type.Literal('INITIALIZING') }) });
/** A copy as the node tells that holds it. */
type ToldCopy = Static<typeof CopySchema>;

const checkpointStats = {
  // Of all statistics that include seq_no and commit, these are the smallest.
  metric: 'indexing',
  fields: ['routing', 'commit.user_data.history_uuid', 'seq_no'],
  parseCopy: createParser('copy in the answer of _stats', Type.Union([CopySchema, StartingCopySchema])),
};

/** @returns every copy that tells of itself, by its shard */
export async function readCopies(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<ReadonlyMap<number, readonly ToldCopy[]>> {
  const shards = await readShardStats(client, index, checkpointStats, call);
  return new Map(
    [...shards].map(([shard, copies]) => [shard, copies.filter((copy) => 'seq_no' in copy)] as const),
  );
}

/**
 * Where the primaries stand, by {@link readCopies}. The answer leaves out a shard without an active primary.
 *
 * The coordinating node asks every copy that it knows of, and each copy reports its own role. If the coordinating node,
 * or the primary that it knows, was away, the successor calls itself primary too, and the answer leaves out the shard.
 */
export const readCheckpoints: AsksOf<IndexStatePort['readCheckpoints']> = async (client, index, call) => {
  const checkpoints: PrimaryCheckpoint[] = [];
  for (const [shard, copies] of await readCopies(client, index, call)) {
    const primary = primaryOf(copies);
    if (primary === undefined) continue;
    const { max_seq_no, global_checkpoint } = primary.seq_no;
    if (![max_seq_no, global_checkpoint].every(Number.isSafeInteger)) {
      throw new ClusterError('invalid', `${index}[${shard}] has sequence numbers over 2^53`);
    }
    checkpoints.push({
      shard,
      nodeId: primary.routing.node,
      state: primary.routing.state,
      copiesAnswered: copies.filter(({ routing }) => routing.state !== 'INITIALIZING').length,
      maxSeqNo: max_seq_no,
      globalCheckpoint: global_checkpoint,
      historyUuid: primary.commit.user_data.history_uuid,
    });
  }
  return checkpoints.toSorted((a, b) => a.shard - b.shard);
};

/**
 * While a primary moves, its successor may call itself primary too; it is INITIALIZING until the handover.
 * @returns undefined when no copy reports as the primary, or two do
 */
export function primaryOf(copies: readonly ToldCopy[]): ToldCopy | undefined {
  const [primary, ...others] = copies.filter(
    ({ routing }) => routing.primary && routing.state !== 'INITIALIZING',
  );
  return others.length > 0 ? undefined : primary;
}

const refreshStats = {
  metric: 'refresh',
  fields: ['routing.node', 'refresh.external_total'],
  parseCopy: createParser(
    'copy in the answer of _stats',
    Type.Object({
      routing: Type.Object({ node: Type.String() }),
      refresh: Type.Object({ external_total: Type.Integer() }),
    }),
  ),
};

/**
 * How often each copy on a node was refreshed, including refreshes that found nothing new (`RefreshMetricUpdater`).
 * @returns by shard number
 */
export async function readRefreshes(
  client: OpenSearchClient,
  index: string,
  nodeId: string,
  call: Call,
): Promise<ReadonlyMap<number, number>> {
  const shards = await readShardStats(client, index, refreshStats, call);
  return new Map(
    [...shards].flatMap(([shard, copies]) => {
      const copy = copies.find(({ routing }) => routing.node === nodeId);
      return copy === undefined ? [] : [[shard, copy.refresh.external_total] as const];
    }),
  );
}

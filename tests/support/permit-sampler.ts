import { setTimeout as pause } from 'node:timers/promises';
import { createParser, type ShardRecord } from '@aosc/contract';
import { parseOpaqueId } from '@aosc/domain';
import { migrationKey } from '@aosc/store';
import { callJson, type ShardHold, type HttpClient, type PermitSample } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { readCopies } from './allocation';
import { prepareHolding } from './held-search-thread';
import type { Migration } from './scenario';

const parseTasks = createParser(
  'answer of _tasks',
  Type.Object({
    tasks: Type.Array(
      Type.Object({
        node: Type.String(),
        id: Type.Integer(),
        action: Type.String(),
        parent_task_id: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        headers: Type.Optional(Type.Object({ 'X-Opaque-Id': Type.Optional(Type.String()) })),
      }),
    ),
  }),
);
const parseNodes = createParser(
  'answer of _nodes',
  Type.Object({ nodes: Type.Record(Type.String(), Type.Object({ name: Type.String() })) }),
);

/** What is under way on the nodes while a migration copies, again and again. */
export interface PermitSampler {
  /** names of the nodes with primaries of the source */
  readonly nodes: readonly string[];
  /** shards that a node is being read for, by the running searches and the names they bear */
  readonly reads: readonly PermitSample[];
  /** shards of a node whose records name an owner that shows life and writes */
  readonly claims: readonly PermitSample[];
  /** searches of the source that bear no name and are no part of a shared one: the first truth would be blind to them */
  readonly nameless: readonly string[];
  /** @throws what broke it */
  stop(): Promise<void>;
}

/** Long enough for every worker to have got its answers and to have asked for the next page. */
const holdMs = 500;
const lookAfterMs = 450;

/** A hold is named by shard and epoch: a takeover begins the next epoch. */
export function holdId(shard: number, epoch: number): string {
  return `${shard}/${epoch}`;
}

/** @param staleAfterMs without a heartbeat for this long, an owner is dead */
export async function startPermitSampler(
  http: HttpClient,
  migration: Migration,
  staleAfterMs: number,
): Promise<PermitSampler> {
  const key = migrationKey(migration.id);
  const copies = await readCopies(http, migration.source);
  const homes = new Map(copies.filter(({ primary }) => primary).map(({ shard, node = '' }) => [shard, node]));
  const nodes = [...new Set(homes.values())];
  const { nodes: nodesById } = await callJson(http, parseNodes, 'GET', '/_nodes/_all/process');
  const holdThreads = await prepareHolding(http, nodes);
  const reads: PermitSample[] = [];
  const claims: PermitSample[] = [];
  const nameless: string[] = [];
  const ending = new AbortController();

  const readShards = async () => {
    const from = Date.now();
    const records = await migration.shards();
    return { from, to: Date.now(), records };
  };
  const readTasks = async () => {
    await pause(lookAfterMs);
    const from = Date.now();
    const { tasks } = await callJson(http, parseTasks, 'GET', tasksPath);
    return { from, to: Date.now(), tasks };
  };
  const sample = async (): Promise<void> => {
    const before = await readShards();
    const [{ from, to, tasks }] = await Promise.all([readTasks(), holdThreads(holdMs)]);
    const after = await readShards();
    // What is in both was so all the time between them, and so at one and the same moment.
    const claimed = intersect(
      listClaims(before.records, staleAfterMs),
      listClaims(after.records, staleAfterMs),
    );
    const epochs = new Map(
      after.records.filter(isCopying).map(({ shard, writer: { epoch } }) => [shard, epoch]),
    );
    const isShared = findShared(tasks);
    const read: (ShardHold & { readonly node: string })[] = [];
    for (const task of tasks) {
      const { node, action, description = '', headers } = task;
      const shard = readShardOf(migration.source, description);
      const now = shard === undefined ? undefined : epochs.get(shard);
      if (shard === undefined || now === undefined) continue;
      const name = parseOpaqueId(headers?.['X-Opaque-Id'] ?? '');
      const isOwn = name?.key === key && name.shard === shard;
      // What several shards of a worker have asked for together bears the name of none.
      const epoch = isOwn ? name.epoch : isShared(task) ? now : undefined;
      if (epoch === undefined) nameless.push(`${action} ${description}`);
      else read.push({ node: nodesById[node]?.name ?? node, shard, id: holdId(shard, epoch) });
    }
    for (const node of nodes) {
      reads.push({ node, from, to, holds: read.filter((hold) => hold.node === node) });
      const holds = claimed.filter(({ shard }) => homes.get(shard) === node);
      claims.push({ node, from: before.to, to: after.from, holds });
    }
  };
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) await sample();
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    nodes,
    reads,
    claims,
    nameless,
    stop: () => {
      ending.abort();
      return watching;
    },
  };
}

const sharedAction = 'indices:data/read/msearch';
const tasksPath = `/_tasks?actions=indices:data/read/search*,${sharedAction}&detailed=true&group_by=none`;

type Task = ReturnType<typeof parseTasks>['tasks'][number];

/** Whether a task is a part of a search that came with others in one request. */
function findShared(tasks: readonly Task[]): (task: Task) => boolean {
  const byId = new Map(tasks.map((task) => [`${task.node}:${task.id}`, task]));
  const isShared = ({ action, parent_task_id: parentId }: Task): boolean => {
    const parent = parentId === undefined ? undefined : byId.get(parentId);
    return action === sharedAction || (parent !== undefined && isShared(parent));
  };
  return isShared;
}

/** A search of one shard describes itself as `shardId[[index][3]]`. */
function readShardOf(index: string, description: string): number | undefined {
  const [, name, shard] = /^shardId\[\[(.+)\]\[(\d+)\]\]/.exec(description) ?? [];
  return name === index ? Number(shard) : undefined;
}

function isCopying({ phase }: ShardRecord): boolean {
  return phase === 'ACQUIRING_LEASE' || phase === 'BACKFILLING';
}

/** A shard that was just taken may still be asking for its permit: it opens its fence when it has got it. */
function listClaims(records: readonly ShardRecord[], staleAfterMs: number): readonly ShardHold[] {
  return records
    .filter((record) => isCopying(record) && showsLife(record, staleAfterMs))
    .map(({ shard, writer }) => ({ shard, id: holdId(shard, writer.epoch) }));
}

function showsLife({ writer }: ShardRecord, staleAfterMs: number): boolean {
  return (
    writer.owner !== undefined && writer.fenceReady && Date.now() - writer.heartbeatAtMillis < staleAfterMs
  );
}

function intersect(before: readonly ShardHold[], after: readonly ShardHold[]): readonly ShardHold[] {
  const ids = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => ids.has(id));
}

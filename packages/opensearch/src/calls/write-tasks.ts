import { createParser } from '@aosc/contract';
import { type Call, ClusterError, type MovedAlias, type WriteTasks } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { listAliases } from './aliases';

const TaskSchema = Type.Object({
  node: Type.String(),
  id: Type.Integer(),
  action: Type.String(),
  description: Type.Optional(Type.String()),
  running_time_in_nanos: Type.Number(),
  headers: Type.Optional(Type.Object({ 'X-Opaque-Id': Type.Optional(Type.String()) })),
});

const parse = createParser(
  'answer of _tasks',
  Type.Object({
    tasks: Type.Optional(Type.Array(TaskSchema)),
    node_failures: Type.Optional(Type.Array(Type.Unknown())),
    task_failures: Type.Optional(Type.Array(Type.Unknown())),
  }),
);

type Task = Static<typeof TaskSchema>;

/** Each node's part of this very call is one of its tasks: it shows that the node was asked. */
const ownAction = 'cluster:monitor/tasks/lists[n]';

/** What to call a task; undefined: it is none of those asked for. */
type Describe = (task: Task) => string | undefined;

async function listTasks(
  client: OpenSearchClient,
  actions: string,
  detailed: boolean,
  call: Call,
): Promise<(describe: Describe) => WriteTasks> {
  const query = { actions: `${actions},${ownAction}`, detailed, group_by: 'none' };
  const answer = await requestJson(client, { method: 'GET', path: '/_tasks', query }, parse, call);
  // A node that did not answer may run anything.
  if ((answer.node_failures?.length ?? 0) > 0 || (answer.task_failures?.length ?? 0) > 0) {
    throw new ClusterError('transient', '_tasks: not every node has answered');
  }
  const tasks = answer.tasks ?? [];
  const running = tasks.filter(({ action }) => action !== ownAction);
  const answered = tasks.filter(({ action }) => action === ownAction).map(({ node }) => node);
  return (describe) => ({ running: running.map(describe).filter((name) => name !== undefined), answered });
}

/**
 * Bulks by their `X-Opaque-Id`, which the coordinating task and all its children (`[s]`, `[s][p]`, `[s][r]`)
 * carry. A bulk that waits for its primary is found, although its client may be gone long since.
 * @param matches of each who asks
 * @returns those of each, in the same order, as they were at one moment
 */
export async function listWriteTasks(
  client: OpenSearchClient,
  matches: readonly ((opaqueId: string) => boolean)[],
  call: Call,
): Promise<readonly WriteTasks[]> {
  const choose = await listTasks(client, 'indices:data/write/bulk*', false, call);
  return matches.map((each) => choose(describeIf(each)));
}

const describeIf =
  (matches: (opaqueId: string) => boolean): Describe =>
  ({ node, id, headers }) => {
    const opaqueId = headers?.['X-Opaque-Id'];
    return opaqueId !== undefined && matches(opaqueId) ? `${node}:${id}` : undefined;
  };

const writeActions = ['bulk*', 'index*', 'delete', 'update']
  .map((action) => `indices:data/write/${action}`)
  .join(',');

/**
 * Writes to an index by what their description names: the index, or one of its aliases (the coordinating task
 * of a bulk names what the request named; its children name the index).
 * @param moved an alias that it had: a coordinating task may have resolved it before
 */
export async function listIndexWriteTasks(
  client: OpenSearchClient,
  index: string,
  call: Call,
  moved?: MovedAlias,
): Promise<WriteTasks> {
  const names = new Set([index, ...(await listAliases(client, index, '*', call))]);
  const hadAlias = ({ description, running_time_in_nanos: nanos }: Task): boolean =>
    moved !== undefined &&
    nanos / 1e6 >= moved.runningForMs &&
    namesOneOf(description ?? '', new Set([moved.alias]));
  const choose = await listTasks(client, writeActions, true, call);
  return choose((task) =>
    namesOneOf(task.description ?? '', names) || hadAlias(task)
      ? `${task.node}:${task.id} ${task.action}`
      : undefined,
  );
}

/**
 * Descriptions look like `requests[2], indices[a, b]`, `requests[1], index[a][0]`, `index {[a][id], source[…`,
 * `update {[a][id], doc[…`. Documents are cut off; an id that equals the name only makes us wait.
 */
export function namesOneOf(description: string, names: ReadonlySet<string>): boolean {
  const head = description.split(/, (?:source|doc|script|doc_as_upsert)\[/, 1)[0] ?? '';
  return head === '' || head.split(/[[\]{},\s]+/).some((word) => names.has(word));
}

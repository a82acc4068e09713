import { createParser, maybe } from '@aosc/contract';
import { type TaskPort, type Call, ClusterError, type WriteTasks } from '@aosc/engine';
import { type Static, Type } from '@sinclair/typebox';
import { listAliases } from './index-state';
import type { AsksOf } from '../bind-calls';
import { getJson, type OpenSearchClient } from '../client/request';

const TaskSchema = Type.Object({
  node: Type.String(),
  id: Type.Integer(),
  action: Type.String(),
  description: maybe(Type.String()),
  running_time_in_nanos: Type.Number(),
  headers: maybe(Type.Object({ 'X-Opaque-Id': maybe(Type.String()) })),
});

const parse = createParser(
  'answer of _tasks',
  Type.Object({
    tasks: maybe(Type.Array(TaskSchema)),
    node_failures: maybe(Type.Array(Type.Unknown())),
    task_failures: maybe(Type.Array(Type.Unknown())),
  }),
);

type Task = Static<typeof TaskSchema>;

/** Each node lists its part of this call as one of its tasks, which shows that the node took part. */
const ownAction = 'cluster:monitor/tasks/lists[n]';

/** What to call a task; undefined: the task does not match. */
type Describe = (task: Task) => string | undefined;

/** Tasks of these actions on all nodes. @throws ClusterError 'transient' when a node has not answered */
export async function listTasks(
  client: OpenSearchClient,
  actions: string,
  detailed: boolean,
  call: Call,
): Promise<(describe: Describe) => WriteTasks> {
  const query = { actions: `${actions},${ownAction}`, detailed, group_by: 'none' };
  const answer = await getJson(client, '/_tasks', query, parse, call);
  // A node that did not answer may be running anything.
  if ((answer.node_failures?.length ?? 0) > 0 || (answer.task_failures?.length ?? 0) > 0) {
    throw new ClusterError('transient', '_tasks: not every node has answered');
  }
  const tasks = answer.tasks ?? [];
  const running = tasks.filter(({ action }) => action !== ownAction);
  const answered = tasks.filter(({ action }) => action === ownAction).map(({ node }) => node);
  return (describe) => ({ running: running.map(describe).filter((name) => name !== undefined), answered });
}

/**
 * Bulks by their `X-Opaque-Id`, which the coordinating task and all its children (`[s]`, `[s][p]`, `[s][r]`) carry.
 * This finds a bulk that waits for its primary, even if its client has long gone.
 * @param matches one test for each caller
 * @returns the bulks of each caller, in the same order, as they were at one moment
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
 * Writes to an index, by the names in their descriptions: the index, or one of its aliases (the coordinating task of a
 * bulk contains the name of the request; its children contain that of the index).
 * @param asked of an alias that the index had: a coordinating task may have resolved it before the swap
 */
export const listIndexWriteTasks: AsksOf<TaskPort['listWrites']> = async (
  client,
  index,
  call,
  { moved } = {},
) => {
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
};

/**
 * Descriptions look like `requests[2], indices[a, b]`, `requests[1], index[a][0]`, `index {[a][id], source[…`, `update
 * {[a][id], doc[…`. OpenSearch cuts documents off. An id that equals the name only makes the service wait.
 */
export function namesOneOf(description: string, names: ReadonlySet<string>): boolean {
  const head = inWords(description.split(/, (?:source|doc|script|doc_as_upsert)\[/, 1)[0] ?? '');
  return head === ' ' || [...names].some((name) => head.includes(inWords(name)));
}

/** Index names can have brackets and braces as well. */
const inWords = (text: string): string => ` ${text} `.replaceAll(/[[\]{},\s]+/g, ' ');

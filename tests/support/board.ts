import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

const parseQueues = createParser(
  "answer of the board's list of queues",
  Type.Object({
    queues: Type.Array(
      Type.Object({
        name: Type.String(),
        isPaused: Type.Boolean(),
        globalConcurrency: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        counts: Type.Record(Type.String(), Type.Integer()),
        jobs: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            data: Type.Record(Type.String(), Type.Unknown()),
          }),
        ),
      }),
    ),
  }),
);

type BoardQueue = ReturnType<typeof parseQueues>['queues'][number];

const jobStatuses = ['completed', 'failed', 'wait', 'active', 'delayed', 'prioritized'] as const;

/** What a board refuses, with the least body it asks for. */
const refusedActions: readonly (readonly [string, string, object?])[] = [
  ['PUT', 'pause'],
  ['PUT', 'obliterate', { force: true }],
  ['PUT', 'concurrency', { concurrency: 0 }],
  ['PUT', 'rate-limit', { max: 1, duration: 1e9 }],
  ['POST', 'add', { name: 'intruder', data: {}, options: {} }],
];

/** Bull Board's own API, as its page uses it. */
export interface BoardClient {
  /** Every queue; jobs are those of the one that is named. */
  list(withJobsOf?: string): Promise<readonly BoardQueue[]>;
  /** @returns the status, and the answer as text. @throws when the server has failed */
  send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /**
   * Does to every queue, and to every job in it, all that the board permits, and tries what it does not.
   * @returns how many requests have changed something, by action
   */
  useEverything(): Promise<Readonly<Record<string, number>>>;
}

export function createBoardClient(apiUrl: string): BoardClient {
  const send: BoardClient['send'] = async (method, path, body) => {
    // eslint-disable-next-line no-restricted-globals -- the board's answers are not in the API's document
    const response = await fetch(`${apiUrl}/queues/api/queues${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, text };
  };
  const list: BoardClient['list'] = async (withJobsOf = '') => {
    const query = new URLSearchParams({ activeQueue: withJobsOf, status: 'latest', jobsPerPage: '100' });
    const { status, text } = await send('GET', `?${query.toString()}`);
    if (status !== 200) throw new Error(`the board's list: ${status} ${text}`);
    return parseQueues(JSON.parse(text)).queues;
  };
  return {
    send,
    list,
    async useEverything() {
      const done: Record<string, number> = {};
      const use = async (action: string, path: string): Promise<void> => {
        const { status } = await send('PUT', path);
        if (status === 403) throw new Error(`${path} is refused`);
        if (status < 300) done[action] = (done[action] ?? 0) + 1;
      };
      for (const { name } of await list()) {
        for (const [method, action, body] of refusedActions) {
          const { status, text } = await send(method, `/${name}/${action}`, body);
          if (status !== 403) throw new Error(`${action} of ${name} is not refused: ${status} ${text}`);
        }
        const { jobs = [] } = (await list(name)).find((queue) => queue.name === name) ?? {};
        for (const { id } of jobs) {
          for (const action of ['retry', 'promote', 'clean']) await use(action, `/${name}/${id}/${action}`);
        }
        await use('promote all', `/${name}/promote`);
        for (const status of ['failed', 'completed']) await use('retry all', `/${name}/retry/${status}`);
        for (const status of jobStatuses) await use('clean all', `/${name}/clean/${status}`);
        await use('empty', `/${name}/empty`);
        await use('resume', `/${name}/resume`);
      }
      await use('resume all', '/resume');
      return done;
    },
  };
}

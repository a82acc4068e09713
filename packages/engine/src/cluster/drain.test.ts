import type { LogEvent } from '@aosc/contract';
import type { LogPort } from '../ports/log-port';
import { ClusterError } from '../ports/cluster-error';
import type { WriteTasks } from '../ports/task-port';
import { drainBulks } from './drain';
import { NodeWatch } from './node-watch';

const never = new AbortController().signal;
const all: WriteTasks = { running: [], answered: ['a', 'b'] };

interface Look {
  readonly members: readonly string[];
  readonly aliases?: readonly string[];
}

/** Drains while the cluster answers as listed, the last of each again and again. @returns what was asked and said */
async function drain(views: Look[], tasks: (WriteTasks | Error)[] = [all], goOn = false) {
  let now = 0;
  const events: LogEvent[] = [];
  const asked: string[] = [];
  const next = <T>(answers: T[]): T => {
    const [first] = answers;
    if (first === undefined) throw new Error('nothing to answer');
    if (answers.length > 1) answers.shift();
    return first;
  };
  const say = (event: LogEvent): void => void events.push(event);
  const log: LogPort = { debug: say, info: say, warn: say, error: say };
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms: number) => Promise.resolve(void (now += ms)),
    random: () => 0.5,
  };
  const cluster = {
    readView: () => {
      asked.push('members');
      return Promise.resolve({ aliases: ['new'], ...next(views) });
    },
  };
  const tasksPort = {
    listBulks: () => {
      asked.push('tasks');
      const answer = next(tasks);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const target = { index: 'target', cluster, tasks: tasksPort };
  const context = { target, clock, log, nodes: new NodeWatch(cluster, clock, 60_000) };
  let waits = 0;
  await drainBulks(
    { ...context, timing: { requestTimeoutMs: 7000 } },
    {
      matches: () => true,
      ...(!goOn && { isClosed: (aliases: readonly string[]) => aliases.includes('new') }),
      nodes: () => ['a/1', 'b/1'],
      onWait: () => (waits += 1),
    },
    never,
  );
  return { asked, events, elapsedMs: now, waits };
}

const both = { members: ['a/1', 'b/1'] };
const withoutA = { members: ['b/1'] };

test('with every node there it costs two questions and no wait', async () => {
  expect(await drain([both])).toEqual({ asked: ['members', 'tasks'], events: [], elapsedMs: 0, waits: 0 });
});

test('a node that has left is waited for until it is back, and asked then', async () => {
  const { asked, events, waits } = await drain([withoutA, withoutA, both]);
  expect(asked).toEqual(['members', 'members', 'members', 'tasks']);
  expect(events).toEqual(['node_awaited']);
  expect(waits).toBe(2);
});

test('or until it is back in another run', async () => {
  const { events } = await drain([withoutA, { members: ['a/2', 'b/1'] }]);
  expect(events).toEqual(['node_awaited']);
});

test('or until it counts as dead, which is said', async () => {
  const { events, elapsedMs } = await drain([withoutA], [{ running: [], answered: ['b'] }]);
  expect(events).toEqual(['node_awaited', 'node_given_up']);
  expect(elapsedMs).toBe(60_000);
});

test('members of a state in which the fence is still open prove nothing', async () => {
  const { asked } = await drain([{ ...both, aliases: ['old'] }, withoutA, both]);
  expect(asked).toEqual(['members', 'members', 'members', 'tasks']);
  await expect(drain([{ ...both, aliases: ['old'] }])).rejects.toMatchObject({ kind: 'transient' });
});

test('a member that leaves before it has told its tasks is waited for as well', async () => {
  const onlyB = { running: [], answered: ['b'] };
  const { asked, events } = await drain([both, withoutA, both], [onlyB, all]);
  expect(asked).toEqual(['members', 'tasks', 'members', 'members', 'tasks']);
  expect(events).toEqual(['node_awaited']);
});

test('bulks that run are waited for', async () => {
  const { asked } = await drain([both], [{ ...all, running: ['a:1'] }, all]);
  expect(asked).toEqual(['members', 'tasks', 'tasks']);
});

test('where _tasks is not allowed the request time-out is waited out, and a node that has left before that', async () => {
  const { events, elapsedMs } = await drain([withoutA, both], [new ClusterError('forbidden', 'no')]);
  expect(events).toEqual(['node_awaited', 'drain_by_time']);
  expect(elapsedMs).toBe(7500);
});

describe('while others begin', () => {
  test('what runs at the first look is waited for, and nothing that comes later', async () => {
    const looks = [
      ['a:1', 'a:2'],
      ['a:2', 'a:3'],
      ['a:3', 'a:4'],
    ].map((running) => ({ ...all, running }));
    const { asked, waits } = await drain([both], looks, true);
    expect(asked).toEqual(['members', 'tasks', 'tasks', 'tasks']);
    expect(waits).toBe(2);
  });

  test('a member that has not told begins the look again: it may hold what the others have ended', async () => {
    const looks = [{ running: ['a:1'], answered: ['b'] }, { ...all, running: ['a:2'] }, all];
    const { asked } = await drain([both], looks, true);
    expect(asked).toEqual(['members', 'tasks', 'members', 'tasks', 'tasks']);
  });

  test('where _tasks is not allowed the members alone tell', async () => {
    const { asked, elapsedMs } = await drain([both], [new ClusterError('forbidden', 'no')], true);
    expect(asked).toEqual(['members', 'tasks']);
    expect(elapsedMs).toBe(0);
  });
});

import type { ShardRecord } from '@aosc/contract';
import { NodeWatch } from './node-watch';

const call = { signal: new AbortController().signal };
const writer = (nodes: readonly string[], fenceReady = true): ShardRecord['writer'] => ({
  epoch: 1,
  fenceReady,
  heartbeatAtMillis: 0,
  nodes,
});

function createWatch(waitMs = 100) {
  const cluster = { now: 0, members: ['a/1', 'b/1'] as readonly string[], looks: 0 };
  const readView = () => {
    cluster.looks += 1;
    return Promise.resolve({ members: cluster.members, aliases: [] });
  };
  return { cluster, watch: new NodeWatch({ readView }, { monotonic: () => cluster.now }, waitMs) };
}

test('a node that is gone is awaited from when it is missed first, and counts as dead in the end', () => {
  const { cluster, watch } = createWatch();
  const known = ['a/1', 'b/1'];
  expect(watch.judge(known, known)).toEqual({ awaited: [], lost: [] });
  cluster.now = 1000;
  expect(watch.judge(known, ['b/1'])).toEqual({ awaited: ['a/1'], lost: [] });
  cluster.now = 1099;
  expect(watch.judge(known, ['b/1'])).toEqual({ awaited: ['a/1'], lost: [] });
  cluster.now = 1100;
  expect(watch.judge(known, ['b/1'])).toEqual({ awaited: [], lost: ['a/1'] });
});

test.each([
  ['came back', ['a/1', 'b/1']],
  ['was restarted', ['a/2', 'b/1']],
])('one that %s is awaited no more, and once more when it leaves again', (_, members) => {
  const { cluster, watch } = createWatch();
  const known = ['a/1', 'b/1'];
  watch.judge(known, ['b/1']);
  expect(watch.announce(['a/1'])).toBe(true);
  expect(watch.announce(['a/1'])).toBe(false);
  cluster.now = 90;
  expect(watch.judge(known, members)).toEqual({ awaited: [], lost: [] });
  cluster.now = 180;
  expect(watch.judge(known, ['b/1'])).toEqual({ awaited: ['a/1'], lost: [] });
  expect(watch.announce(['a/1'])).toBe(true);
});

test('an old look at the members does not make a node come back', () => {
  const { cluster, watch } = createWatch();
  watch.judge(['a/1', 'b/1'], ['b/1']);
  cluster.now = 99;
  expect(watch.note(writer(['a/1', 'b/1']), ['a/1', 'b/1']).nodes).toEqual(['a/1', 'b/1']);
  cluster.now = 100;
  expect(watch.judge(['a/1'], ['b/1']).lost).toEqual(['a/1']);
});

test('the record names the members, and who was one as long as it may come back', () => {
  const { cluster, watch } = createWatch();
  expect(watch.note(writer([]), ['b/1', 'a/1']).nodes).toEqual(['a/1', 'b/1']);
  expect(watch.note(writer(['a/1', 'b/1']), ['b/1', 'c/1']).nodes).toEqual(['a/1', 'b/1', 'c/1']);
  expect(watch.note(writer(['a/1', 'b/1']), ['a/2', 'b/1']).nodes).toEqual(['a/2', 'b/1']);
  watch.judge(['a/1', 'b/1'], ['b/1']);
  cluster.now = 100;
  expect(watch.note(writer(['a/1', 'b/1'], false), ['b/1']).nodes).toEqual(['a/1', 'b/1']);
  expect(watch.note(writer(['a/1', 'b/1']), ['b/1']).nodes).toEqual(['b/1']);
});

test('a look is shared for a second', async () => {
  const { cluster, watch } = createWatch();
  await watch.members([], call);
  cluster.members = ['b/1'];
  cluster.now = 999;
  expect(await watch.members([], call)).toEqual(['a/1', 'b/1']);
  cluster.now = 1000;
  expect(await watch.members([], call)).toEqual(['b/1']);
  expect(cluster.looks).toBe(2);
});

test('each look at the members counts the time of those that are missing', async () => {
  const { cluster, watch } = createWatch(9000);
  cluster.members = ['b/1'];
  await watch.members(['a/1', 'b/1'], call);
  cluster.now = 9000;
  await watch.members(['a/1', 'b/1'], call);
  expect(watch.judge(['a/1'], ['b/1']).lost).toEqual(['a/1']);
});

describe('a node that may have been back while nobody looked', () => {
  test('is awaited again: it can have taken a new write with it', () => {
    const { cluster, watch } = createWatch(60_000);
    watch.judge(['a/1'], ['b/1']);
    cluster.now = 3_600_000;
    expect(watch.judge(['a/1'], ['b/1'])).toEqual({ awaited: ['a/1'], lost: [] });
  });

  test('is awaited again also when it had counted as dead', () => {
    const { cluster, watch } = createWatch(100);
    watch.judge(['a/1'], ['b/1']);
    cluster.now = 100;
    expect(watch.judge(['a/1'], ['b/1']).lost).toEqual(['a/1']);
    cluster.now = 20_000;
    expect(watch.note(writer(['a/1', 'b/1']), ['b/1']).nodes).toEqual(['a/1', 'b/1']);
    expect(watch.judge(['a/1'], ['b/1']).awaited).toEqual(['a/1']);
  });

  test('has no time that an old look began', () => {
    const { cluster, watch } = createWatch(100);
    watch.note(writer(['a/1', 'b/1']), ['b/1']);
    cluster.now = 100;
    expect(watch.judge(['a/1'], ['b/1'])).toEqual({ awaited: ['a/1'], lost: [] });
  });
});

test('those who ask at the same moment share a look, and look for themselves when it fails', async () => {
  const answers: ((members: readonly string[] | Error) => void)[] = [];
  const clock = { now: 0 };
  const readView = () =>
    new Promise<{ members: readonly string[]; aliases: readonly string[] }>((resolve, reject) => {
      answers.push((members) =>
        members instanceof Error ? reject(members) : resolve({ members, aliases: [] }),
      );
    });
  const watch = new NodeWatch({ readView }, { monotonic: () => clock.now }, 100);
  const both = [watch.members([], call), watch.members([], call)];
  expect(answers).toHaveLength(1);
  clock.now = 999;
  both.push(watch.members([], call));
  answers[0]?.(['a/1']);
  expect(await Promise.all(both)).toEqual([['a/1'], ['a/1'], ['a/1']]);

  clock.now = 1000;
  const first = watch.members([], call);
  const joined = watch.members([], call);
  const giver = new AbortController();
  const given = watch.members([], { signal: giver.signal });
  giver.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  answers[1]?.(new Error('cut off'));
  await expect(first).rejects.toThrow('cut off');
  await Promise.resolve();
  answers[2]?.(['b/1']);
  expect(await joined).toEqual(['b/1']);

  // One that takes long tells of a time that is too long ago for whoever asks now.
  clock.now = 3000;
  const slow = watch.members([], call);
  clock.now = 4000;
  const late = watch.members([], call);
  expect(answers).toHaveLength(5);
  answers[4]?.(['d/1']);
  expect(await late).toEqual(['d/1']);
  answers[3]?.(['c/1']);
  expect(await slow).toEqual(['c/1']);
  expect(await watch.members([], call)).toEqual(['d/1']);
});

import { type Stack, startStack, waitUntil } from '@aosc/local-stack';
import { createBudgets } from './budgets';

jest.setTimeout(60_000);

let stack: Stack;
const open: { close(): void }[] = [];
beforeAll(async () => {
  stack = await startStack({ nodes: 0 });
});
afterEach(() => open.splice(0).forEach((each) => each.close()));
afterAll(() => stack.stop());

const clock = { millis: 0 };
/** One process's budgets; counts how often they reported that Redis is away. */
function openBudgets(prefix: string) {
  const away: Error[] = [];
  const budgets = createBudgets(
    { redisUrl: stack.redisUrl, prefix },
    (error) => away.push(error),
    () => clock.millis,
  );
  open.push(budgets);
  return {
    points: budgets.budget({ name: 'points', points: 3, seconds: 3_600 }),
    marks: budgets.marks('marks'),
    away,
  };
}

/** What a process does shows at another one. The time in which Redis is not asked again passes with each look. */
async function untilShared(...processes: ReturnType<typeof openBudgets>[]): Promise<void> {
  let number = 0;
  for (const one of processes) {
    for (const other of processes) {
      await waitUntil(
        async () => {
          clock.millis += 2_000;
          number += 1;
          await one.marks.set(`look ${number}`, 60);
          return (await other.marks.has(`look ${number}`)) === true;
        },
        { what: 'Redis to be there for all', timeoutMs: 20_000, endedBy: [] },
      );
    }
  }
}

test('processes share points; what is refused uses up nothing that others have', async () => {
  const [one, two] = [openBudgets('share'), openBudgets('share')];
  await untilShared(one, two);
  expect([await one.points.take('a'), await two.points.take('a'), await one.points.take('a')]).toEqual([
    0, 0, 0,
  ]);
  expect(await two.points.take('a')).toBeGreaterThan(3_500);
  expect(await one.points.take('a')).toBeGreaterThan(3_500);
  expect(await one.points.take('b', 3)).toBe(0);
  await two.points.giveBack('b', 3);
  expect(await one.points.take('b', 3)).toBe(0);
});

test('while Redis is away each process counts for itself, says so once, and writes its marks when Redis is back', async () => {
  const [one, two] = [openBudgets('away'), openBudgets('away')];
  await untilShared(one, two);
  const before = one.away.length;
  await stack.redis.kill();
  const taken = [];
  for (let times = 0; times < 5; times += 1) {
    taken.push(await one.points.take('a'));
    clock.millis += 2_000;
  }
  expect(taken.slice(0, 3)).toEqual([0, 0, 0]);
  expect(taken.slice(3).every((seconds) => seconds > 0)).toBe(true);
  expect(await two.points.take('a')).toBe(0);
  expect(one.away.length - before).toBe(1);
  await one.marks.set('told late', 3_600);
  expect([await one.marks.has('told late'), await two.marks.has('told late')]).toEqual([true, undefined]);
  await stack.redis.restart();
  await waitUntil(
    async () => {
      clock.millis += 2_000;
      return (await two.marks.has('told late')) === true;
    },
    { what: 'the mark to be told', timeoutMs: 20_000, endedBy: [] },
  );
});

test('a process that has just started knows the marks of before with its first question', async () => {
  const [before, beside] = [openBudgets('start'), openBudgets('start')];
  await untilShared(before, beside);
  await before.marks.set('ended', 3_600);
  for (let times = 0; times < 5; times += 1) {
    const started = openBudgets('start');
    // Its connection is not open yet: it counts points by itself, and waits for a mark.
    expect(await started.points.take(`a ${times}`)).toBe(0);
    expect([await started.marks.has('ended'), await started.marks.has('other')]).toEqual([true, false]);
  }
});

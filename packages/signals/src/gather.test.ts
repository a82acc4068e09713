import { gather } from './gather';

const question = (index: string, of: number) => ({ index, of });
const never = { signal: new AbortController().signal };
const keyOf = ({ index }: { readonly index: string }): string => index;

test('questions of one key share a request, and each gets its own answer', async () => {
  const asked: string[] = [];
  const ask = gather<ReturnType<typeof question>, string>({ maxUnderWay: 1, keyOf }, (questions) => {
    asked.push(questions.map(({ of }) => of).join(' '));
    return questions.map(({ index, of }) => Promise.resolve(`${index}${of}`));
  });
  const questions = [question('a', 1), question('b', 2), question('a', 3)];
  expect(await Promise.all(questions.map((each) => ask(each, never)))).toEqual(['a1', 'b2', 'a3']);
  expect(asked).toEqual(['1 3', '2']);
});

test('the failure of one key is its own', async () => {
  const ask = gather<ReturnType<typeof question>, string>({ maxUnderWay: 1, keyOf }, ([{ index }]) => [
    index === 'a' ? Promise.reject(new Error('gone')) : Promise.resolve(index),
  ]);
  const questions = [question('a', 1), question('b', 2)];
  expect(await Promise.allSettled(questions.map((each) => ask(each, never)))).toMatchObject([
    { status: 'rejected' },
    { value: 'b' },
  ]);
});

test('a question that the request leaves out has no answer', async () => {
  const ask = gather<number, string>({ maxUnderWay: 1 }, () => [Promise.resolve('one')]);
  expect(await Promise.allSettled([1, 2].map((each) => ask(each, never)))).toMatchObject([
    { value: 'one' },
    { status: 'rejected' },
  ]);
});

test('more questions than fit one request go in several, and none waits for a request that hangs', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const ask = gather<number, number>({ maxUnderWay: 1, longestWaitMs: 50, maxTogether: 2 }, (questions) =>
      questions.map((each) => (each === 1 ? new Promise<never>(() => undefined) : Promise.resolve(each))),
    );
    const answers = [1, 2, 3, 4, 5].map((each) => ask(each, never));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await answers[1]).toBe(2);
    await jest.advanceTimersByTimeAsync(50);
    expect(await Promise.all(answers.slice(2, 4))).toEqual([3, 4]);
    await jest.advanceTimersByTimeAsync(50);
    expect(await answers[4]).toBe(5);
  } finally {
    jest.useRealTimers();
  }
});

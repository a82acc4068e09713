import { ClusterError } from '@aosc/engine';
import { share } from './share';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

const { signal } = new AbortController();
const alone = (question: string): Promise<string> =>
  question === 'bad'
    ? Promise.reject(new ClusterError('invalid', 'refused'))
    : Promise.resolve(`${question} alone`);
const failing = (kind: ConstructorParameters<typeof ClusterError>[0]) => () =>
  Promise.reject(new ClusterError(kind, 'all of it'));

const ask = (
  questions: readonly string[],
  together: (
    questions: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly (string | ClusterError)[]>,
  more: { readonly signal?: AbortSignal; readonly alone?: (question: string) => Promise<string> } = {},
) => {
  const own = { signal: more.signal ?? signal };
  const limits = { maxUnderWay: 1, patienceMs: 5000 };
  const asked = share<string, string>({ ...limits, together, alone: more.alone ?? alone });
  return questions.map((question) => asked(question, own).catch((error: unknown) => error));
};

test('what is answered together is not asked again, and an error belongs to one question', async () => {
  const refused = new ClusterError('invalid', 'refused');
  const together = () => Promise.resolve(['one', refused, 'three']);
  expect(await Promise.all(ask(['a', 'b', 'c'], together))).toEqual(['one', refused, 'three']);
});

test('a single question goes by itself', async () => {
  expect(await Promise.all(ask(['a'], failing('invalid')))).toEqual(['a alone']);
});

test('a request that fails as a whole is asked one by one, and each fails for itself', async () => {
  expect(await Promise.all(ask(['a', 'bad', 'b'], failing('too_large')))).toEqual([
    'a alone',
    expect.objectContaining({ kind: 'invalid' }),
    'b alone',
  ]);
});

test('answers of another number are none', async () => {
  expect(await Promise.all(ask(['a', 'b'], () => Promise.resolve(['one'])))).toEqual(
    Array(2).fill(expect.objectContaining({ kind: 'transient' })),
  );
});

test('a cluster that is overloaded is not asked once more', async () => {
  expect(await Promise.all(ask(['a', 'b'], failing('overload')))).toEqual(
    Array(2).fill(expect.objectContaining({ kind: 'overload' })),
  );
});

test('a request that hangs gives way to one request each, and no other question waits for it', async () => {
  const hanging = (_all: readonly string[], patience: AbortSignal): Promise<readonly string[]> =>
    new Promise((_resolve, reject) => {
      patience.addEventListener('abort', () => reject(new ClusterError('aborted', 'no patience left')));
    });
  const never = new Promise<string>(() => undefined);
  const [, ...others] = ask(['stuck', 'a', 'b'], hanging, {
    alone: (question) => (question === 'stuck' ? never : alone(question)),
  });
  await new Promise((resolve) => setImmediate(resolve));
  await jest.advanceTimersByTimeAsync(5000);
  expect(await Promise.all(others)).toEqual(['a alone', 'b alone']);
});

test('when all have given up, no question is asked again', async () => {
  const all = new AbortController();
  const asked = ask(['a', 'b'], failing('aborted'), { signal: all.signal });
  all.abort();
  expect(await Promise.all(asked)).toEqual(Array(2).fill(expect.objectContaining({ kind: 'aborted' })));
});

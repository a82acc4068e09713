import { ClusterError } from '@aosc/engine';
import { togetherOrAlone } from './together-or-alone';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const { signal } = new AbortController();
const alone = (question: string): Promise<string> =>
  question === 'bad'
    ? Promise.reject(new ClusterError('invalid', 'refused'))
    : Promise.resolve(`${question} alone`);
const failing = (kind: ConstructorParameters<typeof ClusterError>[0]) => () =>
  Promise.reject(new ClusterError(kind, 'all of it'));

test('what is answered together is not asked alone', async () => {
  const together = jest.fn(() => Promise.resolve(['one', 'two']));
  expect(await togetherOrAlone(['a', 'b'], signal, together, alone)).toEqual(['one', 'two']);
});

test('a single question goes alone', async () => {
  expect(await togetherOrAlone(['a'], signal, failing('invalid'), alone)).toEqual(['a alone']);
});

test('a request that fails as a whole is asked one by one, and each fails for itself', async () => {
  expect(await togetherOrAlone(['a', 'bad', 'b'], signal, failing('too_large'), alone)).toEqual([
    'a alone',
    expect.objectContaining({ kind: 'invalid' }),
    'b alone',
  ]);
});

test('a cluster that is overloaded is not asked once more', async () => {
  await expect(togetherOrAlone(['a', 'b'], signal, failing('overload'), alone)).rejects.toMatchObject({
    kind: 'overload',
  });
});

test('a request that hangs gives way to each alone', async () => {
  const together = (patience: AbortSignal): Promise<readonly string[]> =>
    new Promise((_resolve, reject) => {
      patience.addEventListener('abort', () => reject(new ClusterError('aborted', 'no patience left')));
    });
  const asked = togetherOrAlone(['a', 'b'], signal, together, alone);
  await jest.advanceTimersByTimeAsync(5000);
  expect(await asked).toEqual(['a alone', 'b alone']);
});

test('when all have given up, nobody is asked again', async () => {
  const all = new AbortController();
  const asked = togetherOrAlone(['a', 'b'], all.signal, failing('aborted'), alone);
  all.abort();
  await expect(asked).rejects.toMatchObject({ kind: 'aborted' });
});

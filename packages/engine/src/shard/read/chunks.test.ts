import { ClusterError } from '../../ports/cluster-error';
import { byHalves, inChunks, inRequests } from './chunks';

const refused = new ClusterError('too_many_clauses', 'too many');
const numbers = Array.from({ length: 23 }, (_, n) => n);

async function askAll(max: number, ask: (part: readonly number[]) => Promise<readonly number[]>) {
  const parts: (readonly number[])[] = [];
  for await (const part of inChunks(numbers, max, ask)) parts.push(part);
  return parts;
}

test('what one request can name: every value once, in order, a thousand at a time', () => {
  const many = Array.from({ length: 2001 }, (_, n) => n);
  expect(inRequests(many).map(({ length }) => length)).toEqual([1000, 1000, 1]);
  expect(inRequests(many).flat()).toEqual(many);
  expect(inRequests(numbers, 23)).toEqual([numbers]);
  expect(inRequests(numbers, 12).map(({ length }) => length)).toEqual([12, 11]);
  expect(inRequests([])).toEqual([]);
});

test.each([1, 2, 7, 22, 23, 100])(
  'a limit of %i: every value is asked about once, in order',
  async (limit) => {
    const parts = await askAll(20, (part) =>
      part.length > limit ? Promise.reject(refused) : Promise.resolve(part),
    );
    expect(parts.flat()).toEqual(numbers);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(Math.min(limit, 20));
  },
);

test('a limit that falls on the way', async () => {
  let limit = 10;
  const parts = await askAll(10, (part) => {
    if (part.length > limit) return Promise.reject(refused);
    limit = 3;
    return Promise.resolve(part);
  });
  expect(parts.flat()).toEqual(numbers);
});

test('what is refused for another reason, or for one value alone, is thrown', async () => {
  const other = new ClusterError('invalid', 'no');
  await expect(askAll(5, () => Promise.reject(other))).rejects.toBe(other);
  await expect(askAll(5, () => Promise.reject(refused))).rejects.toBe(refused);
});

/** Takes three values at a time, and no value below 0. */
const ask = (values: readonly number[]) =>
  values.length > 3 || values.some((value) => value < 0)
    ? Promise.reject(new ClusterError(values.length > 3 ? 'too_large' : 'invalid', 'refused'))
    : Promise.resolve(values.map((value) => value * 2));
const fail = (value: number | undefined, { message }: ClusterError) => new Error(`${value}: ${message}`);

test('a request that is too large goes out by halves, and the answers keep their order', async () => {
  expect(await byHalves([1, 2, 3, 4, 5, 6, 7], ask, fail)).toEqual([2, 4, 6, 8, 10, 12, 14]);
});

test('the first value that is refused by itself is named', async () => {
  await expect(byHalves([1, 2, -3, 4, -5], ask, fail)).rejects.toThrow('-3: refused');
});

test('another failure is no reason to ask again', async () => {
  const error = new ClusterError('forbidden', 'no rights');
  await expect(byHalves([1, 2], () => Promise.reject(error), fail)).rejects.toBe(error);
});

import { parseResidentBytes, readResidentBytes, sumSegments } from './take-sample';

test('segments of all copies are added, and nothing else of the answer', () => {
  const copy = (...sizes: readonly number[]) => ({
    num_committed_segments: 99,
    segments: Object.fromEntries(sizes.map((size, n) => [`_${n}`, { size_in_bytes: size, num_docs: 5 }])),
  });
  const answer = {
    _shards: { total: 2 },
    indices: { orders: { shards: { '0': [copy(10, 20)], '1': [copy(), copy(5)] } } },
  };
  expect(sumSegments(answer)).toBe(35);
});

test('a segment without a size is no measurement', () => {
  const answer = { indices: { orders: { shards: { '0': [{ segments: { _0: {} } }] } } } };
  expect(() => sumSegments(answer)).toThrow('size_in_bytes');
});

test('the present size is told and not the peak', () => {
  expect(parseResidentBytes('VmHWM:\t  300 kB\nVmRSS:\t  200 kB\n')).toBe(200 * 1024);
  expect(parseResidentBytes('')).toBeUndefined();
});

test('a process that is not there has no size', async () => {
  await expect(readResidentBytes(2 ** 31 - 1)).resolves.toBeUndefined();
});

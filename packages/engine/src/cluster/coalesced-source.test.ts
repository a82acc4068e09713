import type { SourcePort } from '../ports/source-port';
import { coalesceIndexCalls } from './coalesced-source';

function createSource() {
  const begun: (() => void)[] = [];
  const refresh = () => new Promise<void>((resolve) => begun.push(resolve));
  return { begun, source: { refresh } as unknown as SourcePort };
}

const live = { signal: new AbortController().signal };

test('callers that ask while a refresh runs share the next one, never the running one', async () => {
  const { begun, source } = createSource();
  const shared = coalesceIndexCalls(source, live.signal);
  const first = shared.refresh('a', live);
  let later = 0;
  const second = shared.refresh('a', live).then(() => later++);
  const third = shared.refresh('a', live).then(() => later++);
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  expect(later).toBe(0);
  await new Promise(setImmediate);
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await Promise.all([second, third]);
  expect(later).toBe(2);
});

test('a caller that gives up leaves the shared call to the others', async () => {
  const { begun, source } = createSource();
  const shared = coalesceIndexCalls(source, live.signal);
  const mine = new AbortController();
  const given = shared.refresh('a', { signal: mine.signal });
  mine.abort(new Error('shutdown'));
  await expect(given).rejects.toThrow('shutdown');
  const other = shared.refresh('a', live);
  begun[0]?.();
  await new Promise(setImmediate);
  begun[1]?.();
  await expect(other).resolves.toBeUndefined();
});

test('indices do not wait for each other', () => {
  const { begun, source } = createSource();
  const shared = coalesceIndexCalls(source, live.signal);
  void shared.refresh('a', live);
  void shared.refresh('b', live);
  expect(begun).toHaveLength(2);
});

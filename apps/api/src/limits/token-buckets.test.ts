import { createTokenBuckets } from './token-buckets';

function createBuckets(maxKeys = 100) {
  const clock = { millis: 0 };
  const buckets = createTokenBuckets({
    perSecond: 2,
    burst: 4,
    maxDebt: 6,
    maxKeys,
    now: () => clock.millis,
  });
  const takeAll = (key: string) => {
    let taken = 0;
    while (buckets.take(key) === 0) taken += 1;
    return taken;
  };
  return { clock, buckets, takeAll };
}

test('a full bucket gives its burst, then says how long the next token takes', () => {
  const { clock, buckets, takeAll } = createBuckets();
  expect(takeAll('a')).toBe(4);
  expect(buckets.take('a')).toBe(500);
  clock.millis = 400;
  expect(buckets.take('a')).toBe(100);
  clock.millis = 500;
  expect(buckets.take('a')).toBe(0);
  clock.millis = 60_000;
  expect(takeAll('a')).toBe(4);
});

test('a request that is told to wait takes nothing', () => {
  const { clock, buckets, takeAll } = createBuckets();
  takeAll('a');
  for (let tries = 0; tries < 100; tries += 1) buckets.take('a');
  clock.millis = 500;
  expect(buckets.take('a')).toBe(0);
});

test('callers do not share a bucket', () => {
  const { takeAll } = createBuckets();
  expect([takeAll('a'), takeAll('b')]).toEqual([4, 4]);
});

test('a charge makes debts, which fill up before the next token, and no more than so many', () => {
  const { clock, buckets } = createBuckets();
  buckets.charge('a', 6);
  expect(buckets.take('a')).toBe(1500);
  buckets.charge('a', 1000);
  expect(buckets.take('a')).toBe(3500);
  clock.millis = 3500;
  expect(buckets.take('a')).toBe(0);
});

test('what is given back is there again, and never more than a full bucket', () => {
  const { buckets, takeAll } = createBuckets();
  buckets.charge('a', 5);
  buckets.refund('a', 5);
  buckets.refund('a', 5);
  expect(takeAll('a')).toBe(4);
});

test('the table is bounded: who was seen longest ago is forgotten', () => {
  const { buckets, takeAll } = createBuckets(2);
  takeAll('a');
  takeAll('b');
  buckets.take('c');
  expect(takeAll('b')).toBe(0);
  expect(takeAll('a')).toBe(4);
});

test('a clock that goes back adds and takes nothing', () => {
  const { clock, buckets, takeAll } = createBuckets();
  clock.millis = 10_000;
  takeAll('a');
  clock.millis = 0;
  expect(buckets.take('a')).toBe(500);
});

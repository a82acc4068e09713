import { ShunnedShards } from './shunned-shards';

test('a lost shard is left to others for a while, and no other shard is', () => {
  let now = 1000;
  const shunned = new ShunnedShards(100, () => now);
  shunned.add('a-0');
  expect(shunned.has('a-0')).toBe(true);
  expect(shunned.has('a-1')).toBe(false);
  now += 99;
  expect(shunned.has('a-0')).toBe(true);
  now += 1;
  expect(shunned.has('a-0')).toBe(false);
});

test('lost again, its time begins anew', () => {
  let now = 0;
  const shunned = new ShunnedShards(100, () => now);
  shunned.add('a-0');
  now = 90;
  shunned.add('a-0');
  now = 189;
  expect(shunned.has('a-0')).toBe(true);
});

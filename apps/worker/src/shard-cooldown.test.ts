import { ShardCooldown } from './shard-cooldown';

test('a lost shard is left to others for a while, and no other shard is', () => {
  let now = 1000;
  const cooldown = new ShardCooldown(100, () => now);
  cooldown.add('a-0');
  expect(cooldown.has('a-0')).toBe(true);
  expect(cooldown.has('a-1')).toBe(false);
  now += 99;
  expect(cooldown.has('a-0')).toBe(true);
  now += 1;
  expect(cooldown.has('a-0')).toBe(false);
});

test('a shard that is lost again is left to others for the whole time again', () => {
  let now = 0;
  const cooldown = new ShardCooldown(100, () => now);
  cooldown.add('a-0');
  now = 90;
  cooldown.add('a-0');
  now = 189;
  expect(cooldown.has('a-0')).toBe(true);
});

import { Cooldown } from './cooldown';

function createCooldown() {
  const clock = { now: 1000 };
  return { clock, cooldown: new Cooldown(() => clock.now) };
}

test('a name rests for a while, and no other name is', () => {
  const { clock, cooldown } = createCooldown();
  expect(cooldown.left('a')).toBe(0);
  cooldown.begin('a', 100);
  expect([cooldown.left('a'), cooldown.left('b')]).toEqual([100, 0]);
  clock.now += 99;
  expect(cooldown.left('a')).toBe(1);
  clock.now += 1;
  expect(cooldown.left('a')).toBe(0);
});

test('the second time lasts as long as the first', () => {
  const { clock, cooldown } = createCooldown();
  cooldown.begin('a', 100);
  clock.now += 90;
  cooldown.begin('a', 100);
  clock.now += 99;
  expect(cooldown.left('a')).toBe(1);
});

test('it begins once in each interval, at the first time at once', () => {
  const { clock, cooldown } = createCooldown();
  expect([cooldown.begins('a', 30), cooldown.begins('a', 30)]).toEqual([true, false]);
  clock.now += 30;
  expect(cooldown.begins('a', 30)).toBe(true);
});

test('it can be ended early', () => {
  const { cooldown } = createCooldown();
  cooldown.begin('a', 300);
  cooldown.begin('a', 0);
  expect(cooldown.left('a')).toBe(0);
});

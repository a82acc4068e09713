import { createCreations } from './creations';

test('a creation begins when the one before has ended, also when that has failed', async () => {
  const creations = createCreations();
  const told: string[] = [];
  let fail: (error: Error) => void = () => undefined;
  const first = creations.run('a', () => {
    told.push('first begins');
    return new Promise<never>((_resolve, reject) => (fail = reject));
  });
  const second = creations.run('b', () => {
    told.push('second begins');
    return Promise.resolve();
  });
  const refused = expect(first).rejects.toThrow('no room');
  await new Promise(setImmediate);
  expect(told).toEqual(['first begins']);
  fail(new Error('no room'));
  await refused;
  await second;
  expect(told).toEqual(['first begins', 'second begins']);
});

test('those for whom there is no place are told to come back', async () => {
  const creations = createCreations();
  let end: () => void = () => undefined;
  const all = [creations.run('a', () => new Promise<void>((resolve) => (end = resolve)))];
  for (let i = 0; i < 64; i++) all.push(creations.run('a', () => Promise.resolve()));
  await expect(creations.run('a', () => Promise.resolve())).rejects.toMatchObject({ code: 'rate_limited' });
  end();
  await Promise.all(all);
});

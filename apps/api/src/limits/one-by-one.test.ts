import { createOneByOne } from './one-by-one';

test('work begins when the one before has ended, also when that has failed', async () => {
  const queue = createOneByOne();
  const told: string[] = [];
  let fail: (error: Error) => void = () => undefined;
  const first = queue.run(() => {
    told.push('first begins');
    return new Promise<never>((_resolve, reject) => (fail = reject));
  });
  const second = queue.run(() => {
    told.push('second begins');
    return Promise.resolve(2);
  });
  const refused = expect(first).rejects.toThrow('no room');
  await new Promise(setImmediate);
  expect(told).toEqual(['first begins']);
  fail(new Error('no room'));
  await refused;
  expect(await second).toBe(2);
  expect(told).toEqual(['first begins', 'second begins']);
});

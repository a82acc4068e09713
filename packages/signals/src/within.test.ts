import { within } from './within';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('the result of work that ends in time is returned, and leaves no timer', async () => {
  await expect(within(100, Promise.resolve('done'))).resolves.toBe('done');
  await expect(within(100, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(jest.getTimerCount()).toBe(0);
});

test('work that takes longer is not waited for', async () => {
  const told = within(100, new Promise<string>(() => undefined));
  await jest.advanceTimersByTimeAsync(100);
  await expect(told).resolves.toBeUndefined();
});

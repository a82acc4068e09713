import { createDryRuns } from './dry-runs';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A run that ends when it is told to. */
function held() {
  let end: (error?: Error) => void = () => undefined;
  const run = () =>
    new Promise<string>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve('done') : reject(error));
    });
  return { run, end: (error?: Error) => end(error) };
}

const busy = { code: 'rate_limited' };

test('one at a time for each caller, two in all', async () => {
  const runs = createDryRuns(1000);
  const [ann, bob] = [held(), held()];
  const first = runs.run('ann', ann.run);
  await expect(runs.run('ann', () => Promise.resolve('again'))).rejects.toMatchObject(busy);
  const second = runs.run('bob', bob.run);
  await expect(runs.run('eve', () => Promise.resolve('third'))).rejects.toMatchObject(busy);
  ann.end();
  expect(await first).toBe('done');
  expect(await runs.run('eve', () => Promise.resolve('third'))).toBe('third');
  bob.end();
  expect(await second).toBe('done');
});

test('one whose caller has stopped waiting counts until it has ended', async () => {
  const runs = createDryRuns(1000);
  const endless = held();
  const told = expect(runs.run('ann', endless.run)).rejects.toMatchObject({
    code: 'illegal_argument',
    message: expect.stringContaining('not done within 1000 ms') as string,
  });
  await jest.advanceTimersByTimeAsync(1000);
  await told;
  await jest.advanceTimersByTimeAsync(3_600_000);
  await expect(runs.run('ann', () => Promise.resolve('next'))).rejects.toMatchObject(busy);
  endless.end(new Error('the connection is over'));
  await jest.advanceTimersByTimeAsync(0);
  expect(await runs.run('ann', () => Promise.resolve('next'))).toBe('next');
});

test('one that fails is told as it failed, and counts no more', async () => {
  const runs = createDryRuns(1000);
  await expect(runs.run('ann', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await runs.run('ann', () => Promise.resolve('next'))).toBe('next');
});

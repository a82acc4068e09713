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

async function refusedAfter(ms: number, run: Promise<unknown>): Promise<void> {
  const told = expect(run).rejects.toMatchObject(busy);
  await jest.advanceTimersByTimeAsync(ms);
  await told;
}

test('one at a time for each caller, two in all; the others wait for their turn', async () => {
  const runs = createDryRuns(1000);
  const [ann, bob] = [held(), held()];
  const first = runs.run('ann', ann.run);
  const again = runs.run('ann', () => Promise.resolve('again'));
  const second = runs.run('bob', bob.run);
  const third = runs.run('eve', () => Promise.resolve('third'));
  await jest.advanceTimersByTimeAsync(500);
  bob.end();
  expect([await second, await third]).toEqual(['done', 'third']);
  ann.end();
  expect([await first, await again]).toEqual(['done', 'again']);
});

test('no turn comes: refused, and forgotten', async () => {
  const runs = createDryRuns(1000);
  const endless = held();
  void runs.run('ann', endless.run).catch(() => undefined);
  await refusedAfter(
    1000,
    runs.run('ann', () => Promise.resolve('never')),
  );
  endless.end();
  await jest.advanceTimersByTimeAsync(0);
  expect(await runs.run('ann', () => Promise.resolve('next'))).toBe('next');
});

test('too many wait: the next one is refused at once', async () => {
  const runs = createDryRuns(1000);
  void runs.run('ann', held().run).catch(() => undefined);
  const others = Array.from({ length: 32 }, () => runs.run('ann', () => Promise.resolve('never')));
  const told = Promise.allSettled(others);
  await expect(runs.run('ann', () => Promise.resolve('never'))).rejects.toMatchObject(busy);
  await jest.advanceTimersByTimeAsync(1000);
  expect((await told).every(({ status }) => status === 'rejected')).toBe(true);
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
  await refusedAfter(
    1000,
    runs.run('ann', () => Promise.resolve('next')),
  );
  endless.end(new Error('the connection is over'));
  await jest.advanceTimersByTimeAsync(0);
  expect(await runs.run('ann', () => Promise.resolve('next'))).toBe('next');
});

test('one that fails is told as it failed, and counts no more', async () => {
  const runs = createDryRuns(1000);
  await expect(runs.run('ann', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await runs.run('ann', () => Promise.resolve('next'))).toBe('next');
});

test('what is held keeps its caller out as long as it takes, and the others for ten minutes', async () => {
  const runs = createDryRuns(1000);
  const released: (() => void)[] = [];
  for (const caller of ['ann', 'bob']) {
    await runs.run(caller, (_waitIsOver, hold) => {
      hold(new Promise<void>((resolve) => released.push(resolve)));
      return Promise.resolve();
    });
  }
  await refusedAfter(
    1000,
    runs.run('eve', () => Promise.resolve('never')),
  );
  await jest.advanceTimersByTimeAsync(600_000);
  expect(await runs.run('eve', () => Promise.resolve('eve'))).toBe('eve');
  await refusedAfter(
    1000,
    runs.run('ann', () => Promise.resolve('never')),
  );
  for (const release of released) release();
  await jest.advanceTimersByTimeAsync(0);
  const both = ['ann', 'bob'].map((caller) => runs.run(caller, () => Promise.resolve(caller)));
  expect(await Promise.all(both)).toEqual(['ann', 'bob']);
  const [first, second] = [held(), held()];
  for (const [caller, { run }] of Object.entries({ ann: first, bob: second })) {
    void runs.run(caller, run).catch(() => undefined);
  }
  // No place has been given back twice.
  await refusedAfter(
    1000,
    runs.run('eve', () => Promise.resolve('never')),
  );
  first.end();
  second.end();
});

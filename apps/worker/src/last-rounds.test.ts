import { LastRounds } from './last-rounds';

function createRounds() {
  const counted = { wakes: 0 };
  const rounds = new LastRounds();
  const join = (phase: 'CONVERGED' | 'COMPLETING') =>
    rounds.join('key', phase, () => {
      counted.wakes++;
      return Promise.resolve();
    });
  return { counted, join };
}

test('the scheduler is woken when the last shard of the process has had its round, and when the last has ended', async () => {
  const { counted, join } = createRounds();
  const first = join('CONVERGED');
  const second = join('CONVERGED');
  await first.onProgress('COMPLETING');
  await first.onProgress('COMPLETED');
  await first.end();
  expect(counted.wakes).toBe(0);
  await second.onProgress('COMPLETING');
  expect(counted.wakes).toBe(1);
  await second.onProgress('COMPLETED');
  await second.end();
  expect(counted.wakes).toBe(2);
});

test('a failure is told at once', async () => {
  const { counted, join } = createRounds();
  join('CONVERGED');
  await join('CONVERGED').onProgress('FAILING');
  expect(counted.wakes).toBe(1);
});

test('one that only closes what it holds keeps nobody waiting who has a round', async () => {
  const { counted, join } = createRounds();
  join('COMPLETING');
  await join('CONVERGED').onProgress('COMPLETING');
  expect(counted.wakes).toBe(1);
});

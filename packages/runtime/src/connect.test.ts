import { PassThrough } from 'node:stream';
import { createLogger } from '@aosc/telemetry';
import { logUnreadable } from './connect';

test('a record that each look finds unreadable is logged after pauses, and another one at once', () => {
  const stream = new PassThrough();
  let now = 0;
  const logger = createLogger({ app: 'scheduler', level: 'error', stream });
  const complain = logUnreadable(logger, { monotonic: () => now });
  for (; now <= 20_000; now += 2_000) complain('m-a', new Error('damaged'));
  complain('m-b', new Error('damaged'));
  const lines = String(stream.read()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { record: 'm-a', timesBefore: 0, error: { message: 'damaged' } },
    { record: 'm-a', timesBefore: 0 },
    { record: 'm-a', timesBefore: 1 },
    { record: 'm-a', timesBefore: 3 },
    { record: 'm-b', timesBefore: 0 },
  ]);
});

import { PassThrough } from 'node:stream';
import { countEvents } from './count-events';
import { createLogger } from './logger';

test('lines count by their event, those of children and those below the level as well', () => {
  const stream = new PassThrough();
  const counted: string[] = [];
  const logger = countEvents(
    createLogger({ app: 'worker', level: 'warn', stream, readable: false }),
    (event) => counted.push(event),
  );
  logger.debug('left out', { event: 'read_retry' });
  logger.child({ shard: 3 }).warn('written', { event: 'shard_lost' });
  logger.warn('without an event');
  expect(counted).toEqual(['read_retry', 'shard_lost']);
  const lines = String(stream.read()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { message: 'written', shard: 3, event: 'shard_lost' },
    { message: 'without an event' },
  ]);
});

import type { StatusDocument } from '@aosc/testkit';
import { backfillTime } from './aosc-run';

const createStatus = (times: readonly (readonly [number, number | undefined])[]): StatusDocument => ({
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  phase: 'COMPLETED',
  shard_routing_mode: 'SPLIT_SHARD',
  start_time_millis: 1,
  last_updated_millis: 2,
  options: {},
  shards: Object.fromEntries(
    times.map(([start, end], shard) => [
      shard,
      {
        phase: 'COMPLETED',
        transition_history: [
          { phase: 'PENDING', start_time_millis: 1, end_time_millis: start },
          {
            phase: 'BACKFILLING',
            start_time_millis: start,
            ...(end === undefined ? {} : { end_time_millis: end }),
          },
        ],
      },
    ]),
  ),
});

test('the backfill lasts from the first shard that begins to the last that ends', () => {
  expect(
    backfillTime(
      createStatus([
        [100, 900],
        [50, 400],
        [300, 1050],
      ]),
    ),
  ).toBe(1000);
});

test('a shard that is not through tells nothing', () => {
  expect(() =>
    backfillTime(
      createStatus([
        [100, 900],
        [50, undefined],
      ]),
    ),
  ).toThrow('does not tell');
});

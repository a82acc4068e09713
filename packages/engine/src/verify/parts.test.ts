import { matchTableBytes } from '@aosc/domain';
import { capacityOf, partsFor } from './parts';

test.each([
  [0, 2 ** 20],
  [1000, 2 ** 20],
  [100_000, 2 ** 20],
  [5_000_000, 64 * 2 ** 20],
  [2 ** 31, 2 ** 26],
])('each of the parts of %d documents fits into half of a room of %d bytes', (documents, room) => {
  const parts = partsFor(documents, room);
  const bytes = matchTableBytes(capacityOf(documents, parts));
  expect(bytes).toBeLessThanOrEqual(room / 2);
  if (parts > 1) expect(matchTableBytes(capacityOf(documents, parts - 1))).toBeGreaterThan(room / 2);
});

import { MismatchCollector } from './mismatches';
import { reportUnmatched } from './unmatched';

test('the same id under another routing is one document with a different routing', () => {
  const mismatches = new MismatchCollector(20);
  reportUnmatched(
    {
      missing: [
        { id: 'a', routing: 'r1' },
        { id: 'b', routing: undefined },
      ],
      missingCount: 3,
      extra: [
        { id: 'a', routing: 'r2' },
        { id: 'a', routing: 'r3' },
      ],
      extraCount: 2,
    },
    mismatches,
  );
  expect(mismatches.result()).toMatchObject({
    missing: { count: 2 },
    extra: { count: 1 },
    differentRouting: { count: 1, samples: [{ id: 'a', detail: 'routing "r3", expected "r1"' }] },
    total: 4,
  });
});

test('samples are bounded, counts are not', () => {
  const mismatches = new MismatchCollector(2);
  for (let n = 0; n < 5; n += 1) mismatches.add(`d${n}`, undefined, { missing: 'x' });
  expect(mismatches.result().missing.count).toBe(5);
  expect(mismatches.result().missing.samples).toHaveLength(2);
});

import type { Difference } from '@aosc/contract';
import { differencesIn, maxSamples, noFindings, withDifferences } from './findings';

const many = (kind: Difference['kind'], count: number): readonly Difference[] =>
  Array.from({ length: count }, (_, n) => ({ kind, id: `${kind}-${n}` }));

test('all are counted, and the first thousand of each kind are kept, over several parts', () => {
  const first = withDifferences(noFindings, [...many('missing', 700), ...many('extra', 2)]);
  const both = withDifferences(first, [...many('missing', 700), ...many('source', 1500)]);
  expect(both.counts).toEqual({ missing: 1400, extra: 2, version: 0, routing: 0, source: 1500 });
  expect(differencesIn(both.counts)).toBe(2902);
  const kept = (kind: string) => both.samples.filter((sample) => sample.kind === kind).length;
  expect([kept('missing'), kept('extra'), kept('source')]).toEqual([maxSamples, 2, maxSamples]);
  expect(noFindings.samples).toEqual([]);
});

test('a document under another routing is one difference, in whichever order its two sides are found', () => {
  const missing = { kind: 'missing', id: 'a', routing: 'own' } as const;
  const extra = { kind: 'extra', id: 'a', routing: 'other' } as const;
  for (const order of [
    [missing, extra],
    [extra, missing],
  ]) {
    const [first, second] = order.map((one) => [one]);
    const found = withDifferences(withDifferences(noFindings, first ?? []), second ?? []);
    expect(found).toEqual({
      counts: { ...noFindings.counts, routing: 1 },
      samples: [{ kind: 'routing', id: 'a', routing: 'own' }],
    });
  }
});

test('more of them in one part than are kept are one difference each as well', () => {
  const count = maxSamples + 500;
  const sides = (['missing', 'extra'] as const).map((kind) =>
    Array.from({ length: count }, (_, n) => ({ kind, id: `moved-${n}`, routing: kind })),
  );
  for (const found of [sides, sides.toReversed()]) {
    const { counts, samples } = withDifferences(noFindings, found.flat());
    expect(counts).toEqual({ ...noFindings.counts, routing: count });
    expect(samples).toHaveLength(maxSamples);
    expect(new Set(samples.map(({ kind, routing }) => `${kind} ${routing}`))).toEqual(
      new Set(['routing missing']),
    );
  }
});

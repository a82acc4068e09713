import type { Random } from '@aosc/testkit';
import { customers, firstOrderMillis } from '../dataset';

/** What the application asks for: orders of a customer, of an hour, figures of a period, orders whose note says something. */
export const searchKinds = ['term', 'range', 'aggregation', 'top_hits'] as const;
export type SearchKind = (typeof searchKinds)[number];

const hourMillis = 3_600_000;
/** An aggregation looks at this part of all orders. */
const periodShare = 0.05;

/** The body of a search; every one of a kind asks for something else, so that no cache answers it. */
export function makeSearch(
  kind: SearchKind,
  random: Random,
  dataset: { readonly documents: number; readonly words: readonly string[] },
): object {
  const { documents, words } = dataset;
  const moment = (): number => firstOrderMillis + random.below(documents) * 1000;
  const word = (): string => words[random.below(words.length)] ?? '';
  switch (kind) {
    case 'term':
      return {
        size: 10,
        query: { term: { customer: `customer-${random.below(customers)}` } },
        sort: [{ placed_at: 'desc' }],
      };
    case 'range': {
      const from = moment();
      const filter = [
        { range: { placed_at: { gte: from, lt: from + hourMillis } } },
        { range: { total: { gte: random.below(9000) } } },
      ];
      return { size: 20, query: { bool: { filter } }, sort: [{ placed_at: 'desc' }] };
    }
    case 'aggregation': {
      const from = moment();
      const to = Math.round(from + documents * periodShare * 1000);
      const aggs = {
        countries: { terms: { field: 'country' }, aggs: { total: { avg: { field: 'total' } } } },
      };
      return { size: 0, query: { range: { placed_at: { gte: from, lt: to } } }, aggs };
    }
    case 'top_hits':
      return { size: 10, query: { match: { note: `${word()} ${word()}` } } };
  }
}

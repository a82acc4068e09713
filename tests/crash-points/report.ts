import type { Point } from './place';
import { listPoints, readPlaces } from './points';
import { describeFailures, describeSpan } from './report-runs';
import { type Histories, outcomeOf } from './results';
import { scenarios } from './scenarios';
import { table } from '../support/page';

const outcomes = ['passed', 'failed', 'missed', 'not run'] as const;
const begin = '<!-- what follows is written by npm run crash-points -- --report -->';

/** The page with new tables. @param page as it is now */
export function renderReport(page: string, results: Histories): string {
  const [head = ''] = page.split(begin);
  const points = listPoints();
  const runs = [describeSpan(points, results), ...describeFailures(points, results)];
  return `${[head.trimEnd(), begin, summarize(points, results), ...runs, countByScenario(points, results)].join('\n\n')}\n`;
}

function countByScenario(points: readonly Point[], results: Histories): string {
  const rows = scenarios.flatMap(({ name }) => {
    const own = points.filter(({ scenario }) => scenario === name);
    const count = (outcome: string): string =>
      String(own.filter((point) => outcomeOf(results, point) === outcome).length || '');
    return own.length === 0 ? [] : [[name, String(own.length), ...outcomes.map(count)]];
  });
  return table(['scenario', 'points', ...outcomes], rows);
}

function summarize(points: readonly Point[], results: Histories): string {
  const counts = new Map<string, number>();
  for (const point of points) {
    const outcome = outcomeOf(results, point);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const told = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${Object.values(readPlaces()).flat().length} places, ${points.length} points: ${told}.`;
}

import { momentsAt, moments, type Place, type Point } from './place';
import { listPoints, placesOf, readPlaces } from './points';
import { describeFailures, describeSpan } from './report-runs';
import { type Histories, outcomeOf } from './results';
import { scenarios } from './scenarios';
import { table } from '../support/page';

const begin = '<!-- what follows is written by npm run crash-points -- --report -->';

/** The page with new tables. @param page as it is now */
export function renderReport(page: string, results: Histories): string {
  const [head = ''] = page.split(begin);
  const parts = scenarios.flatMap((scenario) => {
    const own = placesOf(scenario);
    return own.length === 0 ? [] : [`## ${scenario.name}`, outcomes(scenario.name, own, results)];
  });
  const points = listPoints();
  const runs = [describeSpan(points, results), ...describeFailures(points, results)];
  return `${[head.trimEnd(), begin, summarize(points, results), ...runs, ...parts].join('\n\n')}\n`;
}

function outcomes(scenario: string, places: readonly Place[], results: Histories): string {
  const rows = places.map((place) => {
    const cells = moments.map((moment) =>
      momentsAt(place).includes(moment) ? outcomeOf(results, { scenario, place, moment }) : '',
    );
    return [`\`${place}\``, ...cells];
  });
  return table(['place', ...moments], rows);
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

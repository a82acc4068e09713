import type { Point } from './place';
import { listPoints, readPlaces } from './points';
import { describeFailures, describeSpan } from './report-runs';
import { type Histories, outcomeOf } from './results';
import { scenarios } from './scenarios';
import { table } from '../support/campaign';
import { countEach } from '../support/result-lines';

const outcomes = ['passed', 'failed', 'missed', 'not run'] as const;

/** For docs/reliability/crash-points.md. */
export function renderReport(results: Histories): string {
  const points = listPoints();
  const runs = [describeSpan(points, results), ...describeFailures(points, results)];
  return [summarize(points, results), ...runs, countByScenario(points, results)].join('\n\n');
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
  const counts = countEach(points.map((point) => outcomeOf(results, point)));
  const told = outcomes.flatMap((outcome) => (counts[outcome] ? [`${counts[outcome]} ${outcome}`] : []));
  return `${Object.values(readPlaces()).flat().length} places, ${points.length} points: ${told.join(', ')}.`;
}

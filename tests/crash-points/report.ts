import { momentsAt, moments, type Place } from './place';
import { readPlaces } from './points';
import { outcomeOf, type Result } from './results';
import { scenarios } from './scenarios';

const begin = '<!-- what follows is written by npm run crash-points -- --report -->';

/** The page with its tables made anew. @param page as it is now */
export function writeReport(page: string, results: ReadonlyMap<string, Result>): string {
  const [head = ''] = page.split(begin);
  const places = readPlaces();
  const parts = scenarios.flatMap(({ name }) => {
    const own = places[name] ?? [];
    return own.length === 0 ? [] : [`## ${name}`, table(name, own, results)];
  });
  return `${[head.trimEnd(), begin, summarize(places, results), ...parts].join('\n\n')}\n`;
}

function table(scenario: string, places: readonly Place[], results: ReadonlyMap<string, Result>): string {
  const rows = places.map((place) => {
    const cells = moments.map((moment) =>
      momentsAt(place).includes(moment) ? outcomeOf(results, { scenario, place, moment }) : '',
    );
    return [`\`${place}\``, ...cells];
  });
  const all = [['place', ...moments], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length))) ?? [];
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = all;
  return [
    line(first),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...others.map(line),
  ].join('\n');
}

function summarize(
  places: Readonly<Record<string, readonly Place[]>>,
  results: ReadonlyMap<string, Result>,
): string {
  const counts = new Map<string, number>();
  let points = 0;
  for (const [scenario, own] of Object.entries(places)) {
    for (const place of own) {
      for (const moment of momentsAt(place)) {
        const outcome = outcomeOf(results, { scenario, place, moment });
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        points += 1;
      }
    }
  }
  const told = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${Object.values(places).flat().length} places, ${points} points: ${told}.`;
}

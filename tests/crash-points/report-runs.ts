import { describePoint, type Point } from './place';
import type { Histories, Result } from './results';

/** Which code the outcomes are of, and from when: an old pass says something about old code. */
export function describeSpan(points: readonly Point[], results: Histories): string {
  const last = points.flatMap((point) => results.get(describePoint(point))?.last ?? []);
  if (last.length === 0) return 'Nothing was run.';
  const commits = new Map<string, number>();
  for (const { commit } of last) {
    const name = commit === undefined ? 'a commit that was not written down' : `\`${commit}\``;
    commits.set(name, (commits.get(name) ?? 0) + 1);
  }
  const told = [...commits].map(([name, count]) => `${name} (${count})`).join(', ');
  const days = last.flatMap(({ at }) => at?.slice(0, 10) ?? []).sort();
  const [first, end] = [days[0], days.at(-1)];
  const span =
    first === undefined ? '' : first === end ? `, run on ${first}` : `, run from ${first} to ${end}`;
  return `Points by the commit at which they had their outcome: ${told}${span}.`;
}

/** Every failure that there ever was, with what has become of its points since. */
export function describeFailures(points: readonly Point[], results: Histories): readonly string[] {
  const failed = points.filter((point) => (results.get(describePoint(point))?.failures.length ?? 0) > 0);
  const passed = failed.filter((point) => results.get(describePoint(point))?.last.outcome === 'passed');
  if (failed.length === 0) return ['No point has ever failed.'];
  const migrations = groupByMigration(
    failed.flatMap((point) => results.get(describePoint(point))?.failures ?? []),
  );
  return [
    `Points that have failed in some run: ${failed.length}, of which ${passed.length} passed when they were repeated.`,
    migrations.map(describeMigration).join('\n'),
  ];
}

/** Those that died in one migration have all of its problems. */
function groupByMigration(failures: readonly Result[]): readonly (readonly Result[])[] {
  const groups = new Map<string, Result[]>();
  for (const failure of failures) {
    const { problems, elapsedMs, at } = failure;
    const name = JSON.stringify([problems, elapsedMs, at]);
    groups.set(name, [...(groups.get(name) ?? []), failure]);
  }
  return [...groups.values()];
}

function describeMigration(failures: readonly Result[]): string {
  const [{ commit = 'a commit that was not written down', at = '' } = {}] = failures;
  const problems = failures[0]?.problems ?? [];
  const where = failures.map((failure) => asCode(describePoint(failure))).join(', ');
  const when = at === '' ? '' : `, ${at.slice(0, 10)}`;
  return `- ${where} (${commit}${when}): ${problems.map(asCode).join('; ')}`;
}

/** Whatever a problem has in it, it is no markup. */
function asCode(text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``;
}

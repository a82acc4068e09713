/**
 * What the index keeps of one result: everything small that it says about itself, and the middle of what was measured
 * several times. Samples, single requests and warm-up runs stay out.
 */
export function toIndexLine(run: string, result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ run, ...condense(result) });
}

const leftOut = new Set([
  'warmUp',
  'samples',
  'settings',
  'byKind',
  'byPhase',
  'kindsByPhase',
  'underBlock',
  'phaseMs',
]);

function condense(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(value).filter(([name, part]) => !leftOut.has(name) && part !== undefined);
  return Object.fromEntries(kept.map(([name, part]) => [name, condensePart(name, part)]));
}

function condensePart(name: string, part: unknown): unknown {
  if (typeof part === 'number') return round(part);
  if (isList(part)) return name === 'cases' ? part.filter(isRecord).map(condense) : condenseRuns(part);
  return isRecord(part) ? condense(part) : part;
}

/** Numbers of several runs: the middle one of each, and how many there were. */
function condenseRuns(runs: readonly unknown[]): unknown {
  const records = runs.filter(isRecord);
  if (records.length === 0) return runs.length;
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const medians = [...names].flatMap((name) => {
    const numbers = records.flatMap((record) => (typeof record[name] === 'number' ? [record[name]] : []));
    return numbers.length === 0 ? [] : [[name, round(medianOf(numbers))] as const];
  });
  return { count: records.length, median: Object.fromEntries(medians) };
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

const round = (value: number): number => Number(value.toPrecision(4));
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import type { Plan } from '@aosc/client';
import { formatExact, formatSi } from '../../format/numbers';
import { formatDuration } from '../../format/times';

type Verdict = Plan['verdict'];
export const checksOf = ({ checks }: Plan, verdict: Verdict) =>
  checks.filter((check) => check.verdict === verdict);

/** 1 thing, 2 things, 1,000 things */
export const counted = (count: number, one: string): string =>
  `${formatExact(count)} ${one}${count === 1 ? '' : 's'}`;

/** What a plan comes to, in one line. */
export function sumOf(plan: Plan): string {
  const [refusals, warnings] = [checksOf(plan, 'refuse').length, checksOf(plan, 'warn').length];
  if (refusals > 0) return `This would be refused: ${counted(refusals, 'thing')} in the way.`;
  return `Nothing is in the way.${warnings === 0 ? '' : ` ${counted(warnings, 'thing')} to know before.`}`;
}

const estimateWords: readonly (readonly [
  name: keyof NonNullable<Plan['estimates']>,
  label: string,
  format: (value: number) => string,
])[] = [
  ['documents', 'Documents', formatExact],
  ['bytes', 'Bytes to copy', (bytes) => formatSi(bytes, 'B')],
  ['disk_bytes', 'Disk', (bytes) => formatSi(bytes, 'B')],
  ['seconds', 'Time of the copy', (seconds) => formatDuration(seconds * 1_000)],
  ['pause_ms', 'Pause of writes', formatDuration],
];

/** Each estimate that the plan has: its name, its value, and how it was made. */
export function estimateRows({ estimates }: Plan) {
  return estimateWords.flatMap(([name, label, format]) => {
    const found = estimates?.[name];
    return found === undefined ? [] : [{ label, value: format(found.value), how: found.how }];
  });
}

type Effects = NonNullable<NonNullable<Plan['documents']>['script']>['fields'];

/** What a script does to the fields of documents, as a diff. */
export function effectLines(fields: Effects) {
  return fields.flatMap(({ field, added, removed, changed }) =>
    (
      [
        ['+', added],
        ['-', removed],
        ['~', changed],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([sign, count]) => ({ sign, text: `${sign} ${field}: ${counted(count, 'document')}` })),
  );
}

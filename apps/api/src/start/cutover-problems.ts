import { type MigrationOptionsWire, shorten } from '@aosc/contract';
import { isTimeZone } from '@aosc/domain';

/** A date alone, or a time without its zone, is another moment for each who reads it. */
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** What the schema can't see of the options that say when a cutover may begin. */
export function findCutoverProblems(options: MigrationOptionsWire | undefined): readonly string[] {
  const { cutover_not_before: earliest, cutover_windows: windows = [] } = options ?? {};
  const problems: string[] = [];
  if (earliest !== undefined && (!moment.test(earliest) || Number.isNaN(Date.parse(earliest)))) {
    problems.push(
      `cutover_not_before must be a date and time with its zone, like 2026-11-28T02:00:00Z, got [${shorten(earliest)}]`,
    );
  }
  for (const [number, { from, to, time_zone: zone }] of windows.entries()) {
    const name = `cutover_windows.${number}`;
    if (from === to)
      problems.push(`${name} opens and closes at ${from}: for the whole day say 00:00 to 24:00`);
    if (zone !== undefined && !isTimeZone(zone)) {
      problems.push(
        `${name}.time_zone must be a name of the IANA database, like Europe/Berlin, got [${shorten(zone)}]`,
      );
    }
  }
  return problems;
}

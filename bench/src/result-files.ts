import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The same from `src` and from `dist`. */
const results = resolve(__dirname, '../results');

/** What a file of results is named by. */
export interface Named {
  /** ISO, UTC */
  readonly date: string;
  readonly commit: string;
}

/** A path in the results folder, which is made when it is not there. @param ending without a dot */
export function resultFile({ date, commit }: Named, suffix: string, ending: string): string {
  mkdirSync(results, { recursive: true });
  return join(results, `${date.slice(0, 19).replaceAll(':', '')}-${commit}${suffix}.${ending}`);
}

/** @returns the path that it has written to */
export function writeResult(result: Named, suffix: string): string {
  const path = resultFile(result, suffix, 'json');
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  return path;
}

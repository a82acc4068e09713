import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from './flags';
import { toIndexLine } from './index-line';

/** The same from `src` and from `dist`. git ignores the first; the second holds what pages show, and the index. */
const results = resolve(__dirname, '../../.results/bench');
const kept = resolve(__dirname, '../results');
const mostBytesKept = 200_000;

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
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  writeFileSync(path, `${JSON.stringify({ command, ...result }, undefined, 2)}\n`);
  return path;
}

/**
 * Adds a line for one result to the index that the repository keeps, and copies the pictures named.
 * @param run the name of its file of figures, without the ending
 * @param pictures file names beside it
 * @returns what was kept, as paths
 * @throws {UsageError} when one of them is not there, or is too large for a repository
 */
export function keepResult(run: string, pictures: readonly string[]): readonly string[] {
  const present = new Set(readdirSync(results));
  for (const name of [`${run}.json`, ...pictures]) {
    if (!present.has(name)) throw new UsageError(`${name}: there is no such file in ${results}`);
  }
  for (const name of pictures) {
    if (statSync(join(results, name)).size > mostBytesKept)
      throw new UsageError(`${name}: a file above ${mostBytesKept / 1000} kB is not kept`);
  }
  const index = join(kept, 'index.jsonl');
  const figures: unknown = JSON.parse(readFileSync(join(results, `${run}.json`), 'utf8'));
  appendFileSync(index, `${toIndexLine(run, Object.fromEntries(Object.entries(figures ?? {})))}\n`);
  for (const name of pictures) copyFileSync(join(results, name), join(kept, name));
  return [index, ...pictures.map((name) => join(kept, name))];
}

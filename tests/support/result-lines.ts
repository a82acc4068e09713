import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Results of long tests: a file to which each run adds lines of JSON, in as many sittings as it takes. */
export function appendLine(file: string, line: object): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** @returns nothing where there is no file yet @throws Error with the number of the line that is no result */
export function readLines<Line>(file: string, parse: (value: unknown) => Line): readonly Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      try {
        return [parse(JSON.parse(line))];
      } catch (cause) {
        throw new Error(`line ${at + 1} of ${file} is no result of a run`, { cause });
      }
    });
}

/** How often each text comes, by text. */
export function countEach(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)));
}

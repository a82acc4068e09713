import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The command line of the tests whose user sets how long they last: exactness, crash points, chaos, soak. */
export const exitWrong = 1;
const exitUsage = 2;
const mostSeeds = 2 ** 31;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for an option that is not there, or lacks its value */
export function parseFlags<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options }>>['values'] {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError unless the text is a whole number, `min` at the lowest */
export function parseWhole(flag: string, text: string, min = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value < mostSeeds) return value;
  throw new UsageError(`${flag} ${text}: expected a whole number from ${min} to ${mostSeeds - 1}`);
}

/** The seeds of a run: one when only a seed is given, 20 from the clock's otherwise. */
export function parseSeeds({ runs, seed }: { runs?: string | undefined; seed?: string | undefined }): {
  first: number;
  runs: number;
} {
  return {
    first: seed === undefined ? Date.now() % mostSeeds : parseWhole('--seed', seed),
    runs: runs === undefined ? (seed === undefined ? 20 : 1) : parseWhole('--runs', runs),
  };
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @returns aborted by the first SIGINT or SIGTERM, for a tool that ends after the run in hand; a second one ends it at once */
export function listenForTheEnd(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    interrupted.abort();
    say('Stopping after this run');
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return interrupted.signal;
}

/** Runs the tool; what `run` returns is the exit code. */
export function runTool(usage: string, run: (args: readonly string[]) => Promise<number>): void {
  run(process.argv.slice(2)).then(
    (code) => (process.exitCode = code),
    (error: unknown) => {
      console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error);
      process.exitCode = error instanceof UsageError ? exitUsage : exitWrong;
    },
  );
}

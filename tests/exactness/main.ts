import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../flaws/support/cluster';
import { type RunResult, runSeed } from './run';
import { describeProblems, describeRun, summarize } from './summary';

const usage = `npm run exactness -- [options]

  --runs N         migrations to run (default 20; 1 with --seed)
  --seed S         the first run's seed; the others follow (default: from the clock)
  --results FILE   one line of JSON is added to it for each run (default .exactness/results.jsonl)
  --help           show this`;
const exitWrong = 1;
const exitUsage = 2;
const mostSeeds = 2 ** 31;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

function parseOptions(args: readonly string[]) {
  const flags = parseFlags(args);
  const first = flags.seed === undefined ? Date.now() % mostSeeds : parseWhole('--seed', flags.seed);
  const runs =
    flags.runs === undefined ? (flags.seed === undefined ? 20 : 1) : parseWhole('--runs', flags.runs);
  return { first, runs, results: resolve(flags.results), help: flags.help };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        runs: { type: 'string' },
        seed: { type: 'string' },
        results: { type: 'string', default: '.exactness/results.jsonl' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseWhole(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value < mostSeeds) return value;
  throw new UsageError(`${flag} ${text}: expected a whole number below ${mostSeeds}`);
}

async function main(): Promise<number> {
  const { first, runs, results, help } = parseOptions(process.argv.slice(2));
  if (help) {
    say(usage);
    return 0;
  }
  mkdirSync(dirname(results), { recursive: true });
  say(`seeds ${first} to ${first + runs - 1}`);
  const interrupted = new AbortController();
  const interrupt = (): void => {
    interrupted.abort();
    say('Stopping after this run');
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const done: RunResult[] = [];
  const cluster = await startCluster();
  try {
    for (let seed = first; seed < first + runs && !interrupted.signal.aborted; seed++) {
      const result = await runSeed(cluster, seed);
      done.push(result);
      appendFileSync(results, `${JSON.stringify(result)}\n`);
      say(describeRun(result));
      if (result.problems.length > 0) say(describeProblems(result));
    }
  } finally {
    await cluster.stop();
  }
  say(summarize(done));
  const wrong = done.filter(({ outcome }) => outcome === 'wrong');
  for (const result of wrong) say(`wrong: npm run exactness -- --seed ${result.seed}`);
  return wrong.length > 0 ? exitWrong : 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error);
    process.exitCode = error instanceof UsageError ? exitUsage : exitWrong;
  },
);

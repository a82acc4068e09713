import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startStack } from '@aosc/local-stack';
import { startService } from '@aosc/stack';
import { highThroughput } from './aosc-run';
import { type BenchOptions, parseOptions, usage, UsageError } from './options';
import { createReport } from './report';
import type { BenchResult } from './results';
import { runBench } from './run-bench';
import { summarize } from './summary';

const exitFailed = 1;
const exitUsage = 2;
const exitInterrupted = 130;
const heapMb = 2048;
/** The same from `src` and from `dist`. */
const results = resolve(__dirname, '../results');

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    say(usage);
    return 0;
  }
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(exitInterrupted);
    say('\nStopping');
    abort.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const result = await measure(options, abort.signal);
    say(['', ...createReport(result)].join('\n'));
    say(`written to ${relative(process.cwd(), write(result))}`);
    return 0;
  } catch (error) {
    if (abort.signal.aborted) return exitInterrupted;
    throw error;
  }
}

async function measure(options: BenchOptions, signal: AbortSignal): Promise<BenchResult> {
  const [loadBefore = 0] = loadavg();
  const stack = await startStack({ nodes: 1, heapMb, lifetime: 'long', log: say, signal });
  try {
    const { openSearchUrls, redisUrl, logFolder: logDir } = stack;
    const workerNodeArgs =
      options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`];
    const service = await startService({
      openSearchUrls,
      redisUrl,
      workers: 1,
      workerNodeArgs,
      logDir,
      signal,
    });
    try {
      const gone = AbortSignal.any(
        [service.api, ...service.schedulers, ...service.workers].map((p) => p.gone),
      );
      const alive = AbortSignal.any([signal, gone]);
      const measured = await runBench(options, openSearchUrls, service, say, alive).catch(
        (error: unknown) => {
          throw gone.aborted ? gone.reason : error;
        },
      );
      return describe(options, measured, loadBefore);
    } finally {
      await service.stop();
    }
  } finally {
    await stack.stop();
  }
}

function describe(
  options: BenchOptions,
  { openSearch, sourceBytesPerDocument, warmUp, runs }: Awaited<ReturnType<typeof runBench>>,
  loadBefore: number,
): BenchResult {
  const { documents, sourceShards, targetShards, rounds, profile } = options;
  const cores = cpus();
  return {
    date: new Date().toISOString(),
    commit: readCommit(),
    machine: {
      cpus: cores.length,
      cpuModel: cores[0]?.model ?? 'unknown',
      memoryBytes: totalmem(),
      node: process.versions.node,
      openSearch,
      loadBefore,
    },
    documents,
    sourceBytesPerDocument,
    sourceShards,
    targetShards,
    rounds,
    profiled: profile !== undefined,
    settings: highThroughput,
    warmUp,
    runs,
    summary: summarize(runs),
  };
}

/** With a plus sign when the tree has changes that are not committed; outside of a repository: unknown. */
function readCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: __dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}

function write(result: BenchResult): string {
  mkdirSync(results, { recursive: true });
  const time = result.date.slice(0, 19).replaceAll(':', '');
  const path = join(results, `${time}-${result.commit}.json`);
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  return path;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${error.message}\n\n${usage}` : error);
    process.exitCode = isUsage ? exitUsage : exitFailed;
  },
);

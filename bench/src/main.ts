import { readFileSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { readCallTree } from './flame/call-tree';
import { drawFlames } from './flame/draw-flames';
import { parseCutoverOptions, cutoverUsage } from './cutover/options';
import { createCutoverReport } from './cutover/report';
import type { CutoverResult } from './cutover/results';
import { runCutoverBench } from './cutover/run-cutover';
import { drawTimeline } from './cutover/timeline';
import { UsageError } from './flags';
import { fleetUsage, parseFleetOptions } from './fleet/options';
import { createFleetReport } from './fleet/report';
import { runFleetBench } from './fleet/run-fleet';
import { longUsage, parseLongOptions } from './long/options';
import { drawLong } from './long/plot';
import { createLongReport } from './long/report';
import type { LongResult } from './long/results';
import { runLongBench } from './long/run-long';
import { noteCircumstances } from './machine';
import { type BenchOptions, parseOptions, usage } from './options';
import { highThroughput } from './profiles';
import { createReport } from './report';
import { parseRestOptions, restUsage } from './rest/options';
import { createRestReport } from './rest/report';
import { runRestBench } from './rest/run-rest';
import { keepResult, resultFile, writeResult } from './result-files';
import type { BenchResult, Circumstances } from './results';
import { runBench } from './run-bench';
import { runOnStack } from './run-on-stack';
import { parseSuiteOptions, suiteUsage } from './suite/options';
import { createSuiteSummary } from './suite/report';
import type { SuiteResult } from './suite/results';
import { runSuite } from './suite/run-suite';
import { writeSuite } from './suite/write-suite';
import { summarize } from './summary';

const exitFailed = 1;
const exitUsage = 2;
const exitInterrupted = 130;

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'cutover') {
    const options = parseCutoverOptions(rest);
    return options.help
      ? explain(cutoverUsage)
      : run('-cutover', (signal) => runCutoverBench(options, say, signal), drawAndReport);
  }
  if (first === 'flame') return drawProfile(rest);
  if (first === 'keep') return keep(rest);
  if (first === 'fleet') {
    const options = parseFleetOptions(rest);
    return options.help
      ? explain(fleetUsage)
      : run('-fleet', (signal) => runFleetBench(options, say, signal), createFleetReport);
  }
  if (first === 'long') {
    const options = parseLongOptions(rest);
    return options.help
      ? explain(longUsage)
      : run('-long', (signal) => runLongBench(options, say, signal), drawAndReportLong);
  }
  if (first === 'rest') {
    const options = parseRestOptions(rest);
    return options.help
      ? explain(restUsage)
      : run('-rest', (signal) => runRestBench(options, say, signal), createRestReport);
  }
  if (first === 'suite') {
    const options = parseSuiteOptions(rest);
    if (options.help) return explain(suiteUsage);
    return untilInterrupted(async (signal) => reportSuite(await runSuite(options, say, signal, writeSuite)));
  }
  const options = parseOptions(process.argv.slice(2));
  return options.help ? explain(usage) : run('', (signal) => measure(options, signal), createReport);
}

/** The timeline of the last cutover lies beside the figures. */
function drawAndReport(result: CutoverResult): readonly string[] {
  const path = resultFile(result, '-cutover', 'svg');
  writeFileSync(path, drawTimeline(result.runs.at(-1)?.calls.underBlock ?? []));
  return [...createCutoverReport(result), `timeline of the last cutover: ${relative(process.cwd(), path)}`];
}

/** Draws a profile that `--profile` has written. @returns the exit code */
function drawProfile([file, ...rest]: readonly string[]): number {
  if (file === undefined || rest.length > 0)
    throw new UsageError('expected one file: npm run bench -- flame FILE');
  const picture = `${file}.svg`;
  writeFileSync(picture, drawFlames(readCallTree(readFileSync(file, 'utf8')), basename(file)));
  say(`written to ${picture}`);
  return 0;
}

/** @returns the exit code */
function keep([run, ...pictures]: readonly string[]): number {
  if (run === undefined) throw new UsageError('expected a run: npm run bench -- keep RUN [PICTURE…]');
  for (const path of keepResult(run, pictures)) say(`kept in ${relative(process.cwd(), path)}`);
  return 0;
}

function drawAndReportLong(result: LongResult): readonly string[] {
  const path = resultFile(result, '-long', 'svg');
  writeFileSync(path, drawLong(result));
  return [...createLongReport(result), `what might have grown: ${relative(process.cwd(), path)}`];
}

function explain(text: string): number {
  say(text);
  return 0;
}

/** Each case is on disk since it ended. @returns 1 when one of them has failed */
function reportSuite(result: SuiteResult): number {
  say(['', ...createSuiteSummary(result)].join('\n'));
  say(`written to ${relative(process.cwd(), writeSuite(result))}, and the figures and plots beside it`);
  return result.cases.some(({ kind }) => kind === 'failed') ? exitFailed : 0;
}

async function run<T extends { readonly date: string; readonly commit: string }>(
  suffix: string,
  benchmark: (signal: AbortSignal) => Promise<T>,
  report: (result: T) => readonly string[],
): Promise<number> {
  return untilInterrupted(async (signal) => {
    const result = await benchmark(signal);
    say(['', ...report(result)].join('\n'));
    say(`written to ${relative(process.cwd(), writeResult(result, suffix))}`);
    return 0;
  });
}

/** @returns the exit code */
async function untilInterrupted(action: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(exitInterrupted);
    say('\nStopping');
    abort.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await action(abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return exitInterrupted;
    throw error;
  }
}

async function measure(options: BenchOptions, signal: AbortSignal): Promise<BenchResult> {
  const describeCircumstances = noteCircumstances();
  const workerNodeArgs =
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`];
  const measured = await runOnStack(
    { workerNodeArgs, pinned: options.pinned, say, signal },
    (openSearchUrls, service, alive) => runBench(options, openSearchUrls, service, say, alive),
  );
  return { ...describeCircumstances(measured.openSearch), ...describe(options, measured) };
}

function describe(
  options: BenchOptions,
  { sourceBytesPerDocument, warmUp, runs }: Awaited<ReturnType<typeof runBench>>,
): Omit<BenchResult, keyof Circumstances> {
  const { documents, sourceShards, targetShards, rounds, byFiles, profile, pinned } = options;
  return {
    documents,
    sourceBytesPerDocument,
    sourceShards,
    targetShards,
    rounds,
    byFiles,
    profiled: profile !== undefined,
    pinned,
    settings: highThroughput,
    warmUp,
    runs,
    summary: summarize(runs),
  };
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

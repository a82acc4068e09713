import { once } from 'node:events';
import { ConfigError } from '@aosc/config';
import { MissingProgramsError, type Stack, startStack } from '@aosc/local-stack';
import { type Service, startService } from '@aosc/stack';
import { cityCredit, createHttpClient } from '@aosc/testkit';
import { examineBorrowedCluster } from './borrowed-cluster';
import { examineBorrowedRedis, removeOwnKeys } from './borrowed-redis';
import { leaveNoTrace, MadeIndices } from './leave-no-trace';
import { type DemoOptions, parseOptions, usage, UsageError } from './options';
import { createReport } from './report';
import { RefusedError } from './refused-error';
import { runDemo } from './run-demo';
import { createSteps, type Steps } from './steps';
import { prepareAccess, readSurroundings, type Surroundings, withoutCredentials } from './surroundings';

const exitFailed = 1;
const exitUsage = 2;
const exitInterrupted = 130;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    say(usage);
    return 0;
  }
  // the first Ctrl-C stops everything in order, a second one ends at once (the servers end with this process)
  const abort = new AbortController();
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(exitInterrupted);
    say('\nStopping');
    abort.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await runOnServers(options, abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return exitInterrupted;
    throw error;
  }
}

async function runOnServers(options: DemoOptions, signal: AbortSignal): Promise<number> {
  const surroundings = readSurroundings(options, process.env);
  const { openSearch: openSearchUrl, redis: redisUrl } = surroundings;
  await examineBorrowed(surroundings, signal);
  const steps = createSteps(process.stdout);
  steps.begin('servers', 'Looking for what the servers need, and starting them');
  const stack = await startStack({
    nodes: 2,
    openSearchUrl,
    redisUrl,
    log: steps.say,
    onProgress: steps.progress,
    signal,
  });
  try {
    return await runService(options, { surroundings, stack, steps }, signal);
  } finally {
    steps.clear();
    await stack.stop();
  }
}

/** Runs before anything is started, so that the user learns at once what is wrong with the given servers. */
async function examineBorrowed(surroundings: Surroundings, signal: AbortSignal): Promise<void> {
  const { openSearch, redis, config } = surroundings;
  if (redis !== undefined) {
    say(`Redis at ${withoutCredentials(redis)}: version ${await examineBorrowedRedis(config)}`);
  }
  if (openSearch === undefined) return;
  const http = createHttpClient(prepareAccess(surroundings, config.openSearchUrls));
  try {
    const shown = withoutCredentials(openSearch);
    say(`OpenSearch at ${shown}: version ${await examineBorrowedCluster(http, shown, signal)}`);
  } finally {
    http.close();
  }
}

interface Standing {
  readonly surroundings: Surroundings;
  readonly stack: Stack;
  readonly steps: Steps;
}

async function runService(
  options: DemoOptions,
  { surroundings, stack, steps }: Standing,
  signal: AbortSignal,
): Promise<number> {
  const { openSearchUrls, redisUrl, logFolder: logDir } = stack;
  const urls = prepareAccess(surroundings, openSearchUrls);
  const made = new MadeIndices();
  steps.begin('service', 'Starting the service: API, scheduler, two workers');
  try {
    const env = { AOSC_QUEUE_PREFIX: surroundings.queuePrefix };
    const service = await startService({ openSearchUrls, redisUrl, workers: 2, env, logDir, signal });
    try {
      const endpoints = { openSearchUrls: urls, apiUrl: service.apiUrl, made };
      const result = await withService(service, signal, (alive) =>
        runDemo(options, endpoints, { output: process.stdout, steps }, alive),
      );
      const report = createReport(result, steps.finish());
      say(['', ...report.lines, '', cityCredit].join('\n'));
      if (options.keep) await keepRunning(stack, service, signal);
      return report.passed ? 0 : exitFailed;
    } finally {
      await service.stop();
    }
  } catch (error) {
    throw await stack.withKeptLogs(error);
  } finally {
    steps.finish();
    await returnBorrowed(surroundings, { urls, redisUrl }, made);
  }
}

/** The demo's own servers end with all that is in them. */
async function returnBorrowed(
  { openSearch, redis, config }: Surroundings,
  at: { readonly urls: readonly string[]; readonly redisUrl: string },
  made: MadeIndices,
): Promise<void> {
  if (openSearch === undefined && redis === undefined) return;
  say('Removing what the demo has made');
  let installation: string | undefined;
  try {
    installation = await removeOwnKeys(config, at.redisUrl.split(','));
  } catch (error) {
    say(`Keys that begin with ${config.queuePrefix} may be left in Redis: ${messageOf(error)}`);
  }
  if (openSearch === undefined) return;
  for (const line of await leaveNoTrace(at.urls, made, installation)) say(line);
}

/** Runs `work` with a signal that ends it when a process of the service ends; the error then has that process's log. */
async function withService<T>(
  service: Service,
  signal: AbortSignal,
  work: (alive: AbortSignal) => Promise<T>,
): Promise<T> {
  const processes = [service.api, ...service.schedulers, ...service.workers];
  const gone = AbortSignal.any(processes.map((process) => process.gone));
  try {
    return await work(AbortSignal.any([signal, gone]));
  } catch (error) {
    throw gone.aborted ? gone.reason : error;
  }
}

async function keepRunning(stack: Stack, service: Service, signal: AbortSignal): Promise<void> {
  const places = [
    `OpenSearch  ${withoutCredentials(stack.openSearchUrls.join(','))}`,
    `Redis       ${withoutCredentials(stack.redisUrl)}`,
    `API         ${service.apiUrl}`,
    `logs        ${stack.logFolder}`,
  ];
  say(['', 'Everything is left running until Ctrl-C:', ...places.map((place) => `  ${place}`)].join('\n'));
  if (!signal.aborted) await once(signal, 'abort');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** These are about the machine, the servers or the flags, so a stack would not help the user. */
const forPeople = [UsageError, RefusedError, MissingProgramsError, ConfigError];

function show(error: unknown): void {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
  else if (forPeople.some((kind) => error instanceof kind)) console.error(messageOf(error));
  else console.error(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    show(error);
    process.exitCode = error instanceof UsageError ? exitUsage : exitFailed;
  },
);

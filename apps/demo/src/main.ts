import { once } from 'node:events';
import { type Stack, startStack } from '@aosc/local-stack';
import { type Service, startService } from '@aosc/stack';
import { credit } from './dataset';
import { type DemoOptions, parseOptions, usage, UsageError } from './options';
import { runDemo } from './run-demo';

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
  say('Starting OpenSearch (two nodes) and Redis');
  const stack = await startStack({ nodes: 2, log: say, signal });
  try {
    const { openSearchUrls, redisUrl } = stack;
    say('Starting the service: API, scheduler, two workers');
    const { logFolder: logDir } = stack;
    const service = await startService({ openSearchUrls, redisUrl, workers: 2, logDir, signal });
    try {
      const endpoints = { openSearchUrls, apiUrl: service.apiUrl };
      const report = await withService(service, signal, (alive) =>
        runDemo(options, endpoints, process.stdout, alive),
      );
      say(['', ...report.lines, '', credit].join('\n'));
      if (options.keep) await keepRunning(stack, service, signal);
      return report.passed ? 0 : exitFailed;
    } finally {
      await service.stop();
    }
  } finally {
    await stack.stop();
  }
}

/** Runs `work` with a signal that ends it when a process of the service ends; that one's log is the error then. */
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
    `OpenSearch  ${stack.openSearchUrls.join(' ')}`,
    `Redis       ${stack.redisUrl}`,
    `API         ${service.apiUrl}`,
    `logs        ${stack.logFolder}`,
  ];
  say(['', 'Everything is left running until Ctrl-C:', ...places.map((place) => `  ${place}`)].join('\n'));
  if (!signal.aborted) await once(signal, 'abort');
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

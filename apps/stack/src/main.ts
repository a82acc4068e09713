import { type ServiceProcess, type Stack, startStack } from '@aosc/local-stack';
import { type Flags, readFlags, usage, UsageError } from './flags';
import { type Service, startService } from './service';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Everything started here dies with this process anyway; the signals only make the end an orderly one. */
async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), process.env);
  if (flags === undefined) {
    say(usage);
    return;
  }
  const interrupted = untilInterrupted();
  let stack: Stack | undefined;
  let service: Service | undefined;
  try {
    stack = await startStack({ nodes: flags.nodes, lifetime: 'long', log: say, signal: interrupted });
    say('starting the service');
    service = await startService({
      openSearchUrls: stack.openSearchUrls,
      redisUrl: stack.redisUrl,
      workers: flags.workers,
      apiPort: flags.apiPort,
      logDir: stack.logFolder,
      signal: interrupted,
    });
    describe(flags, stack, service);
    for (const child of [service.api, ...service.schedulers, ...service.workers])
      sayWhenGone(child, interrupted);
    await ended(interrupted);
    say('stopping');
  } catch (error) {
    if (interrupted.aborted) return;
    throw stack === undefined ? error : await stack.withKeptLogs(error);
  } finally {
    await service?.stop();
    await stack?.stop();
  }
}

function describe({ workers }: Flags, stack: Stack, service: Service): void {
  say('');
  say(`API         ${service.apiUrl}`);
  say(`OpenSearch  ${stack.openSearchUrls.join(' ')}`);
  say(`Redis       ${stack.redisUrl}`);
  say(`Logs        ${stack.logFolder}`);
  say('');
  say(`${workers} worker(s), 1 scheduler. Ctrl-C stops everything and removes the data.`);
}

/** A user may kill one of them on purpose, so the others go on. */
function sayWhenGone(child: ServiceProcess, interrupted: AbortSignal): void {
  child.gone.addEventListener('abort', () => {
    if (!interrupted.aborted) say(String(child.gone.reason));
  });
}

/** The second Ctrl-C does not wait for an orderly end. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Error(`stopped by ${signal}`));
    });
  }
  return controller.signal;
}

/** The servers do not keep this process alive, so this timer does. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 60_000);
    const finish = () => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });
}

main().catch((error: unknown) => {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
});

import { type AppConfig, findDefaultServers } from '@aosc/config';
import { compileParsers, serviceVersion } from '@aosc/contract';
import { createLogger } from '@aosc/telemetry';
import { stopOnSignal } from './shutdown';

/** What every process has: a log, and an orderly end. From now on a signal ends it, even while it is still starting. */
export function beginLife(
  app: 'api' | 'worker' | 'scheduler',
  { logLevel }: Pick<AppConfig<'api'>, 'logLevel'>,
) {
  compileParsers();
  const logger = createLogger({ app, level: logLevel });
  // A default server that the operator did not mean is as bad as none, and harder to notice.
  for (const { name, url } of findDefaultServers(process.env)) {
    logger.warn(`${name} is not set: ${url} is used`, { event: 'server_by_default' });
  }
  const ending = new AbortController();
  const signal: AbortSignal = ending.signal;
  const closers: (() => unknown)[] = [];
  stopOnSignal(logger, async () => {
    for (const close of closers.reverse()) await close();
    ending.abort(new Error('the process is shutting down'));
  });
  return {
    logger,
    /** fires when the process has handed everything back */
    signal,
    /** Called at shutdown, in reverse order. */
    onClose: (close: () => unknown) => closers.push(close),
    /** Says that the process is at work. */
    logStarted: (text: string) => logger.info(text, { event: 'process_started', version: serviceVersion }),
  };
}

/** Runs a process. If it can't start, it says why in one line and exits with code 1. */
export function runProcess(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    // Open connections and timers would keep an idle process alive.
    process.exit(1);
  });
}

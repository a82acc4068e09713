import { type AppConfig, findDefaultServers } from '@aosc/config';
import { compileParsers, serviceVersion } from '@aosc/contract';
import { createLogger, type Logger } from '@aosc/telemetry';
import { stopOnSignal } from './shutdown';

/** What every process of the service has: a log, and an orderly end on a signal. */
export interface ProcessLife {
  readonly logger: Logger;
  /** fires when the process has handed everything back */
  readonly signal: AbortSignal;
  /** Called at shutdown, in reverse order. */
  readonly onClose: (close: () => unknown) => void;
  /** Says that the process is at work. */
  readonly tellStarted: (text: string) => void;
}

/** From now on a signal ends the process in order, even while it is still starting. */
export function beginLife(
  app: 'api' | 'worker' | 'scheduler',
  { logLevel }: Pick<AppConfig<'api'>, 'logLevel'>,
): ProcessLife {
  compileParsers();
  const logger = createLogger({ app, level: logLevel });
  // A default server that the operator did not mean is as bad as none, and harder to notice.
  for (const { name, url } of findDefaultServers(process.env)) {
    logger.warn(`${name} is not set: ${url} is used`, { event: 'server_by_default' });
  }
  const ending = new AbortController();
  const closers: (() => unknown)[] = [];
  stopOnSignal(logger, async () => {
    for (const close of closers.reverse()) await close();
    ending.abort(new Error('the process is shutting down'));
  });
  return {
    logger,
    signal: ending.signal,
    onClose: (close) => closers.push(close),
    tellStarted: (text) => logger.info(text, { event: 'process_started', version: serviceVersion }),
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

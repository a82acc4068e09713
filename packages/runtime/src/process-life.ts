import { type AppConfig, findDefaultServers } from '@aosc/config';
import { serviceVersion } from '@aosc/contract';
import { createLogger, type Logger } from '@aosc/telemetry';
import { stopOnSignal } from './shutdown';

/** What every process of the service has: a log, and an orderly end on a signal. */
export interface ProcessLife {
  readonly logger: Logger;
  /** fires when the process has handed everything back */
  readonly signal: AbortSignal;
  /** Called at shutdown, the last one first. */
  readonly onClose: (close: () => unknown) => void;
  /** Says that the process is at work. */
  readonly tellStarted: (text: string) => void;
}

/** A signal ends the process in order from now on, also while it is still starting. */
export function beginLife(
  app: 'api' | 'worker' | 'scheduler',
  { logLevel }: Pick<AppConfig<'api'>, 'logLevel'>,
): ProcessLife {
  const logger = createLogger({ app, level: logLevel });
  // Another server than was meant is the same kind of trouble as none, and harder to see.
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

/** Runs a process; what it can't start for is said in one line, and the code is 1. */
export function runProcess(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    // Connections and timers that were opened by then would keep a process alive that does nothing.
    process.exit(1);
  });
}

import type { Logger } from '@aosc/telemetry';

/**
 * Runs `stop` once on SIGTERM or SIGINT and then ends the process; a second signal ends it at once.
 * @param limitMs after this the process ends whatever still runs
 */
export function stopOnSignal(logger: Logger, limitMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info(`stopping on ${signal}`, { event: 'process_stopping' });
    setTimeout(() => process.exit(1), limitMs).unref();
    stop()
      .then(() => {
        logger.info('stopped', { event: 'process_stopped' });
        process.exit(0);
      })
      .catch((error: unknown) => {
        logger.error('stopping failed', { error });
        process.exit(1);
      });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

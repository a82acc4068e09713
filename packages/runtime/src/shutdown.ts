import type { Logger } from '@aosc/telemetry';

/** The service promises that every process ends within 10 s. */
const limitMs = 9500;

/**
 * Runs `stop` once on SIGTERM or SIGINT and then ends the process with code 0; a second signal ends it at once. When
 * OpenSearch or Redis keeps `stop` waiting for longer than 9.5 s, the process ends with code 1, and others take over
 * its work as if it had died.
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onOverdue = (): void => {
    logger.error(
      `ending after ${limitMs} ms: OpenSearch or Redis has not answered, and what was not handed back is taken over when its locks have run out`,
      { event: 'process_stop_overdue', limitMs },
    );
    process.exit(1);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info(`stopping on ${signal}`, { event: 'process_stopping' });
    setTimeout(onOverdue, limitMs).unref();
    stop()
      .then(() => {
        logger.info('stopped', { event: 'process_stopped' });
        process.exit(0);
      })
      .catch((error: unknown) => {
        logger.error('stopping failed', { event: 'process_stopped', error });
        process.exit(1);
      });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

import type { LogEvent } from '@aosc/contract';
import type { Logger } from './logger';

type Log = Logger['info'];

/** The same logger, which also counts each event, even if the level leaves the line out. */
export function countEvents(logger: Logger, count: (event: LogEvent) => void): Logger {
  const counting =
    (write: Log): Log =>
    (message, fields) => {
      if (fields?.event !== undefined) count(fields.event);
      write(message, fields);
    };
  return {
    error: counting((message, fields) => logger.error(message, fields)),
    warn: counting((message, fields) => logger.warn(message, fields)),
    info: counting((message, fields) => logger.info(message, fields)),
    debug: counting((message, fields) => logger.debug(message, fields)),
    child: (context) => countEvents(logger.child(context), count),
  };
}

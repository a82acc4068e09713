import type { LogPort } from '@aosc/engine';
import type { Logger } from '@aosc/telemetry';

/** The engine's log port on the process's logger. */
export function createEngineLog(logger: Logger): LogPort {
  return {
    debug: (event, message, fields) => logger.debug(message, { ...fields, event }),
    info: (event, message, fields) => logger.info(message, { ...fields, event }),
    warn: (event, message, fields) => logger.warn(message, { ...fields, event }),
    error: (event, message, error, fields) => logger.error(message, { ...fields, event, error }),
  };
}

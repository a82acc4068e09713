import type { LogEvent } from '@aosc/contract';

/** Structured events; the adapter adds process, level and time. Values never hold document contents. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface LogPort {
  info(event: LogEvent, message: string, fields?: LogFields): void;
  warn(event: LogEvent, message: string, fields?: LogFields): void;
  error(event: LogEvent, message: string, error: unknown, fields?: LogFields): void;
  debug(event: LogEvent, message: string, fields?: LogFields): void;
}

/** The same log, with these fields in every line. */
export function withFields(log: LogPort, own: LogFields): LogPort {
  return {
    info: (event, message, fields) => log.info(event, message, { ...own, ...fields }),
    warn: (event, message, fields) => log.warn(event, message, { ...own, ...fields }),
    error: (event, message, error, fields) => log.error(event, message, error, { ...own, ...fields }),
    debug: (event, message, fields) => log.debug(event, message, { ...own, ...fields }),
  };
}

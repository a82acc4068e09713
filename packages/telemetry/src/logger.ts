import type { Writable } from 'node:stream';
import type { LogEvent } from '@aosc/contract';
import { createLogger as createWinston, transports } from 'winston';
import { jsonLines, readableLines } from './line-formats';
import { serializeError } from './serialize-error';

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** What a line is about. A child logger adds to its parent's. */
interface LogContext {
  readonly migration?: string;
  readonly shard?: number;
  readonly phase?: string;
  readonly role?: string;
  readonly event?: LogEvent;
}

/** One line's own fields; `error` may be anything that was thrown. Names in camelCase, with their unit. */
interface LogFields extends LogContext {
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

/** Structured log lines. Credentials are taken out of every line. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** @returns a logger whose lines carry this context too */
  child(context: LogContext): Logger;
}

export interface LoggerOptions {
  /** api, worker or scheduler: the `app` field of each line */
  readonly app: string;
  readonly level: LogLevel;
  /** default: stdout */
  readonly stream?: Writable & { readonly isTTY?: boolean };
  /** default: readable at a terminal, JSON lines otherwise */
  readonly readable?: boolean;
}

/** Creates the logger of a process. */
export function createLogger({ app, level, stream = process.stdout, readable }: LoggerOptions): Logger {
  const winston = createWinston({
    level,
    levels: Object.fromEntries(logLevels.map((name, index) => [name, index])),
    format: (readable ?? stream.isTTY === true) ? readableLines() : jsonLines(),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's types declare its own transports as interfaces
    transports: [new transports.Stream({ stream })],
  });
  const withContext = (context: Readonly<Record<string, unknown>>): Logger => {
    const log =
      (lineLevel: LogLevel) =>
      (message: string, { error, ...fields }: LogFields = {}) => {
        winston.log({
          ...context,
          ...fields,
          ...(error !== undefined && { error: serializeError(error) }),
          timestamp: new Date().toISOString(),
          level: lineLevel,
          message,
        });
      };
    return {
      error: log('error'),
      warn: log('warn'),
      info: log('info'),
      debug: log('debug'),
      child: (more) => withContext({ ...context, ...more }),
    };
  };
  return withContext({ app });
}

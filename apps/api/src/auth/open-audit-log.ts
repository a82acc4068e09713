import { appendFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { ConfigError, variables } from '@aosc/config';
import { createLogger, type Logger } from '@aosc/telemetry';

/** Only the service's user may read it. */
const mode = 0o600;

/**
 * Opens the audit log, which no log level switches off. Each line is on its way to the disk before its request ends.
 * The file is opened for each line, because a rotation may move it away.
 * @param path empty: stdout
 * @param logger reports when lines can't be written; they go to stdout then
 * @throws ConfigError when the file can't be written
 */
export function openAuditLog(path: string, logger: Logger, fallback: Writable = process.stdout): Logger {
  if (path === '') return createLogger({ app: 'api', level: 'info', stream: fallback });
  append(path, '');
  let isBroken = false;
  const stream = new Writable({
    decodeStrings: false,
    write(line: string | Buffer, _encoding, done) {
      try {
        appendFileSync(path, line, { mode });
        isBroken = false;
      } catch (error) {
        fallback.write(line);
        if (!isBroken) {
          logger.error(`the audit log ${path} can't be written: its lines go to stdout`, {
            event: 'audit_failed',
            error,
          });
        }
        isBroken = true;
      }
      done();
    },
  });
  return createLogger({ app: 'api', level: 'info', stream, readable: false });
}

function append(path: string, text: string): void {
  try {
    appendFileSync(path, text, { mode });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${variables.auditLog.name} names a file that can't be written: ${reason}`]);
  }
}

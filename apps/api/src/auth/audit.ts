import { appendFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { ConfigError, variables } from '@aosc/config';
import { type Logger, createLogger } from '@aosc/telemetry';
import type { RequestHandler } from 'express';
import { notesOf } from './request-notes';
import { accessOf } from './routes';
import { createFewLines } from '../limits/few-lines';
import { ipNetwork } from '../limits/ip-network';

/** What a status says about a request that was to change something. */
function outcomeOf(status: number): 'done' | 'refused' | 'failed' {
  if (status < 400) return 'done';
  return status === 401 || status === 403 || status === 429 ? 'refused' : 'failed';
}

/**
 * Writes one line for each request that changes something, however it ends, and for each refusal that is about who
 * sends it: who, what, which index, with what outcome, from where. A request that comes too fast to be let in has no
 * line. Of many requests of one address that are refused before that, only a few have a line, which gives their number.
 */
export function auditRequests(logger: Logger): RequestHandler {
  const refusals = createFewLines();
  return (request, response, next) => {
    const { method, path, ip: remoteAddress = 'unknown' } = request;
    response.once('close', () => {
      const { action, index } = accessOf(method, path);
      const status = response.statusCode;
      const { hasEntered, principal, refusedUser, audit } = notesOf(request);
      if (action === undefined && status !== 401 && status !== 403) return;
      if (status === 429 && hasEntered !== true) return;
      const refusal = hasEntered === true ? undefined : refusals(ipNetwork(remoteAddress));
      if (hasEntered !== true && refusal === undefined) return;
      const name = status === 401 && hasEntered !== true ? 'authenticate' : (action ?? 'access');
      const outcome = response.writableFinished ? outcomeOf(status) : 'unknown';
      // Only users that exist are named, because people type passwords into the name field.
      const who = principal ?? refusedUser;
      logger.info(`${name}: ${outcome}`, {
        event: 'audit',
        action: name,
        outcome,
        status,
        method,
        path: path.slice(0, 1024),
        index: index?.slice(0, 255),
        who: who?.name ?? 'unauthenticated',
        whoKind: who?.kind,
        remoteAddress,
        refusal,
        ...audit,
      });
    });
    next();
  };
}

/**
 * Opens the audit log, which no log level switches off. Each line is on its way to the disk before its request ends.
 * The file is opened for each line, because a rotation may move it away.
 * @param path empty: stdout
 * @param logger reports when lines can't be written; they go to stdout then
 * @throws ConfigError when the file can't be written
 */
export function openAuditLog(path: string, logger: Logger, fallback: Writable = process.stdout): Logger {
  if (path === '') return createLogger({ app: 'api', level: 'info', stream: fallback });
  // Only the service's user may read it.
  const append = (line: string | Buffer): void => appendFileSync(path, line, { mode: 0o600 });
  try {
    append('');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${variables.auditLog.name} names a file that can't be written: ${reason}`]);
  }
  let isBroken = false;
  const stream = new Writable({
    decodeStrings: false,
    write(line: string | Buffer, _encoding, done) {
      try {
        append(line);
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

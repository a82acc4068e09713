import { chownSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { startChild } from './child';
import { logTail } from './log-tail';
import { type RunAs } from './run-as';
import { type RunFolder } from './run-folder';
import { launchServer, type LaunchedServer } from './server';
import { waitUntil } from './wait-until';

/** PEM texts. */
export interface RedisServerTls {
  readonly cert: string;
  readonly key: string;
  /** signed the certificate of the server and those of its clients */
  readonly ca: string;
}

export interface RedisContext {
  /** Path of `redis-server`. */
  readonly command: string;
  readonly port: number;
  readonly folder: RunFolder;
  readonly runAs: RunAs | undefined;
  readonly tls: RedisServerTls | undefined;
}

const readyTimeoutMs = 30_000;

/** A Redis that writes nothing to disk and never evicts a key: BullMQ's jobs must not vanish under memory pressure. */
export async function launchRedis({
  command,
  port,
  folder,
  runAs,
  tls,
}: RedisContext): Promise<LaunchedServer> {
  const home = folder.make('redis');
  const options = {
    ...(tls === undefined ? { port: String(port) } : secureOptions(tls, port, home, runAs)),
    bind: '127.0.0.1',
    dir: home,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  return launchServer({
    name: 'redis',
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    launch: () =>
      startChild({
        name: 'Redis',
        command,
        args: Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
        env: { PATH: process.env['PATH'], HOME: home },
        cwd: home,
        logFile: join(folder.logs, 'redis.log'),
        runAs,
      }),
    waitUntilReady: (endedBy, logFile) =>
      waitUntil((signal) => answersPing(port, tls, signal), {
        what: `Redis on port ${port}`,
        timeoutMs: readyTimeoutMs,
        endedBy,
        details: () => logTail(logFile),
      }),
  });
}

/** No plain port any more. The files are copied, because the server's user may not be able to read where they were. */
function secureOptions(tls: RedisServerTls, port: number, home: string, runAs: RunAs | undefined) {
  const write = (name: string, content: string): string => {
    const path = join(home, name);
    writeFileSync(path, content, { mode: 0o600 });
    if (runAs !== undefined) chownSync(path, runAs.uid, runAs.gid);
    return path;
  };
  return {
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': write('cert.pem', tls.cert),
    'tls-key-file': write('key.pem', tls.key),
    'tls-ca-cert-file': write('ca.pem', tls.ca),
    'tls-auth-clients': 'yes',
  };
}

/** Whether PING is answered with PONG; a refused connection is a no. */
function answersPing(port: number, tls: RedisServerTls | undefined, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const to = { port, host: '127.0.0.1' };
    const socket: Socket = tls === undefined ? connect(to) : connectSecurely({ ...to, ...tls });
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', stop));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { startChild } from './child';
import { logTail } from './log-tail';
import { type RunAs, writeOwned } from './run-as';
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
  /** Default `redis`: its folder and its log file; several in one folder need a name each. */
  readonly name?: string;
  /** Path of `redis-server`. */
  readonly command: string;
  readonly port: number;
  readonly folder: RunFolder;
  readonly runAs: RunAs | undefined;
  readonly tls: RedisServerTls | undefined;
  /** Further lines for its configuration. */
  readonly lines?: readonly string[];
}

const readyTimeoutMs = 30_000;

/** A Redis that writes nothing to disk and never evicts a key: BullMQ's jobs must not vanish under memory pressure. */
export async function launchRedis(context: RedisContext): Promise<LaunchedServer> {
  const { name = 'redis', command, port, folder, runAs, tls, lines = [] } = context;
  const home = folder.make(name);
  const file = writeOwned(home, 'redis.conf', lines.map((line) => `${line}\n`).join(''), runAs);
  const options = {
    ...(tls === undefined ? { port: String(port) } : secureOptions(tls, port, home, runAs)),
    bind: '127.0.0.1',
    dir: home,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  return launchServer({
    name,
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    launch: () =>
      startChild({
        name: 'Redis',
        command,
        args: [file, ...Object.entries(options).flatMap(([option, value]) => [`--${option}`, value])],
        env: { PATH: process.env['PATH'], HOME: home },
        cwd: home,
        logFile: join(folder.logs, `${name}.log`),
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
  const write = (name: string, content: string) => writeOwned(home, name, content, runAs);
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
export function answersPing(
  port: number,
  tls: RedisServerTls | undefined,
  signal: AbortSignal,
): Promise<boolean> {
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

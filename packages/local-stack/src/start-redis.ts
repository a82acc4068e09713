import { connect } from 'node:net';
import { join } from 'node:path';
import { startChild } from './child';
import { logTail } from './log-tail';
import { type RunAs } from './run-as';
import { type RunFolder } from './run-folder';
import { launchServer, type LaunchedServer } from './server';
import { waitUntil } from './wait-until';

export interface RedisContext {
  /** Path of `redis-server`. */
  readonly command: string;
  readonly port: number;
  readonly folder: RunFolder;
  readonly runAs: RunAs | undefined;
}

const readyTimeoutMs = 30_000;

/** A Redis that writes nothing to disk and never evicts a key: BullMQ's jobs must not vanish under memory pressure. */
export async function launchRedis({ command, port, folder, runAs }: RedisContext): Promise<LaunchedServer> {
  const home = folder.make('redis');
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: home,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  return launchServer({
    name: 'redis',
    url: `redis://127.0.0.1:${port}`,
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
      waitUntil((signal) => answersPing(port, signal), {
        what: `Redis on port ${port}`,
        timeoutMs: readyTimeoutMs,
        endedBy,
        details: () => logTail(logFile),
      }),
  });
}

/** Whether PING is answered with PONG; a refused connection is a no. */
function answersPing(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', signal });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

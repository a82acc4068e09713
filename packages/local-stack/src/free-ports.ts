import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder';
import { reservePort } from './port-reservation';

/** Below the ports that systems give to outgoing connections: one of those could be taken before the server binds. */
const lowest = 20_000;
const highest = 31_999;
const maxTries = 200;

/**
 * Ports of 127.0.0.1 that nothing listens on, all different, and which no other process of this user is given for the next
 * minutes.
 * @throws Error when no free port is found in a bounded number of tries
 */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const reservations = join(cacheFolder(process.env), 'ports');
  const held: Server[] = [];
  const ports = new Set<number>();
  try {
    for (let tries = 0; ports.size < count; tries += 1) {
      if (tries === maxTries) throw new Error(`No free port between ${lowest} and ${highest} found`);
      const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
      const server = await listen(port);
      if (server === undefined) continue;
      held.push(server);
      if (await reservePort(reservations, port)) ports.add(port);
    }
  } finally {
    await Promise.all(held.map(close));
  }
  return [...ports];
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from '../limits/client-address';
import { type ConnectionTableOptions, createConnectionTable } from '../limits/connection-table';
import { createTokenBuckets } from '../limits/token-buckets';

export interface ConnectionLimits extends ConnectionTableOptions {
  /** connections a second that one address may open for long; 0: no limit */
  readonly perSecond: number;
}

/** Callers that are told apart. */
const maxKeys = 10_000;
const burstSeconds = 2;
/** Places the system's own limit leaves for connections that are just being closed. */
const slack = 200;

/**
 * Holds the connections of a server to their limits, before TLS and HTTP cost anything: the listeners that the server has
 * for a connection see those alone that were let in.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { perSecond, max, onDrop } = limits;
  const table = createConnectionTable(limits);
  const buckets =
    perSecond === 0
      ? undefined
      : createTokenBuckets({
          perSecond,
          burst: perSecond * burstSeconds,
          maxDebt: 0,
          maxKeys,
          now: () => performance.now(),
        });
  server.maxConnections = max + slack;
  server.on('drop', () => onDrop('all_full'));
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { client, id } = identify(socket);
    if (buckets !== undefined && buckets.take(client) > 0) {
      onDrop('too_fast');
      socket.destroy();
    } else if (table.admit(client, id, () => socket.destroy())) {
      socket.once('close', () => table.closed(client, id));
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    } else {
      socket.destroy();
    }
  });
  server.on('request', (request, response) => {
    const { client, id } = identify(request.socket);
    table.requestBegan(client, id);
    response.once('close', () => table.requestEnded(client, id));
  });
}

/** Over TLS a request has another socket than its connection; the port of the other side is the same. */
function identify({ remoteAddress = 'unknown', remotePort = 0 }: Socket): {
  readonly client: string;
  readonly id: string;
} {
  return { client: clientOf(remoteAddress), id: `${remoteAddress} ${remotePort}` };
}

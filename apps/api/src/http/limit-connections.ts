import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from '../limits/client-address';
import { type ConnectionTableOptions, createConnectionTable } from '../limits/connection-table';
import { createSuspects } from '../limits/suspects';
import { createTokenBuckets } from '../limits/token-buckets';
import { createTurns } from '../limits/turns';

export interface ConnectionLimits extends ConnectionTableOptions {
  /** connections a second that one address may open for long; 0: no limit */
  readonly perSecond: number;
}

/** Callers that are told apart. */
const maxKeys = 10_000;
const burstSeconds = 2;
/** A hand-shake takes about a millisecond of the one thread there is, as much as several requests. */
const costOfTls = 4;
/** Places the system's own limit leaves for connections that are just being closed. */
const slack = 200;
/** A connection has one request at a time, and clients that send several without waiting for answers are few. */
const requestsPerConnection = 2;

/** An address that was refused something stands behind the others for so long after it. */
const suspectForMs = 10_000;
const refusals: ReadonlySet<number> = new Set([401, 429]);

/** The turns of a server's connections and requests. */
export interface ServerTurns {
  /** @returns false: too much waits for its address */
  take(client: string, work: () => void): boolean;
  /** The client was refused something: others go first for a while. */
  refused(client: string): void;
}

/** For each address as much may wait as its connections can bring. */
export function createServerTurns({ max, maxOfClient }: ConnectionTableOptions): ServerTurns {
  const suspects = createSuspects(suspectForMs);
  const turns = createTurns({
    maxWaitingOfClient: maxOfClient * requestsPerConnection,
    maxWaiting: max * requestsPerConnection,
  });
  return {
    take: (client, work) => turns.take(client, work, suspects.has(client)),
    refused: (client) => suspects.note(client),
  };
}

/**
 * Holds the connections of a server to their limits, before TLS and HTTP cost anything: the listeners that the server has
 * for a connection see those alone that were let in, one in each turn.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  turns: ServerTurns,
  isTls: boolean,
): void {
  const { perSecond, max, onDrop } = limits;
  const table = createConnectionTable(limits);
  const cost = isTls ? costOfTls : 1;
  const buckets =
    perSecond === 0
      ? undefined
      : createTokenBuckets({
          perSecond: perSecond / cost,
          burst: Math.max(1, (perSecond * burstSeconds) / cost),
          maxDebt: 0,
          maxKeys,
          now: () => performance.now(),
        });
  server.maxConnections = max + slack;
  server.on('drop', () => onDrop('all_full'));
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // The other side was gone before it was taken: it has no address any more, and must not take a place of all those.
    if (socket.remoteAddress === undefined) {
      onDrop('no_request');
      socket.destroy();
      return;
    }
    const { client, id } = identify(socket);
    if (buckets !== undefined && buckets.take(client) > 0) {
      onDrop('too_fast');
      turns.refused(client);
      socket.destroy();
      return;
    }
    const ended = table.admit(client, id, () => socket.destroy());
    if (ended === undefined) {
      turns.refused(client);
      socket.destroy();
      return;
    }
    socket.once('close', ended);
    // Nobody else listens until its turn has come.
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    const isTaken = turns.take(client, () => {
      socket.off('error', ignore);
      if (socket.destroyed) return;
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    });
    if (!isTaken) dropBusy(socket, onDrop);
  });
  server.on('request', (request, response) => {
    const { client, id } = identify(request.socket);
    const ended = table.requestBegan(client, id);
    response.once('close', () => {
      ended();
      if (refusals.has(response.statusCode)) turns.refused(client);
    });
  });
}

/** Has requests wait for their turn; whose connection is gone by then is not looked at. */
export function takeTurns(
  app: RequestListener,
  turns: ServerTurns,
  onDrop: ConnectionTableOptions['onDrop'],
): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const isTaken = turns.take(identify(socket).client, () => {
      if (!socket.destroyed) app(request, response);
    });
    if (!isTaken) dropBusy(socket, onDrop);
  };
}

function dropBusy(socket: Socket, onDrop: ConnectionTableOptions['onDrop']): void {
  onDrop('too_much_waits');
  socket.destroy();
}

/** Over TLS a request has another socket than its connection; the port of the other side is the same. */
function identify({ remoteAddress = 'unknown', remotePort = 0 }: Socket): {
  readonly client: string;
  readonly id: string;
} {
  return { client: clientOf(remoteAddress), id: `${remoteAddress} ${remotePort}` };
}

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { ConfigError, variables } from '@aosc/config';
import { ipNetwork } from '../limits/ip-network';

/**
 * The path and query of a request's target. A client that takes the API for a proxy sends a whole URL (RFC 9112,
 * 3.2.2). Its host means nothing here, may be missing, and may hold a password that no error should quote.
 */
export const toOriginForm = (target: string): string =>
  target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '/');

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What one connection may cost before its request is complete; checked every few seconds. */
const requestLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
};
/** A client may be silent or slow during the handshake; Node's own limit is two minutes. */
const tlsLimits = { handshakeTimeout: 10_000, minVersion: 'TLSv1.2' } as const;

interface ListenerOptions {
  /** undefined: plain HTTP */
  readonly tls: TlsFiles | undefined;
  /** milliseconds without a byte in either direction after which a connection ends: longer than an answer takes */
  readonly idleMs: number;
  readonly maxConnections: number;
  readonly maxOfAddress: number;
  /** a proxy, which carries the connections of many clients */
  readonly isTrusted: (address: string) => boolean;
  /** why a connection was not let in: its address holds as many as it may, or all places are taken */
  readonly onDrop: (reason: Error) => void;
}

/**
 * Makes the server that listens for the API, with bounds on connections and headers.
 * @throws ConfigError when the texts are no certificate and its key
 */
export function createApiListener(app: RequestListener, options: ListenerOptions) {
  const { tls, idleMs, maxConnections, onDrop } = options;
  // Express answers a target that it can't read with a page of its own, before authentication and every other rule.
  const listener: RequestListener = (request, response) => {
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  };
  const secure = tls && createTlsServer(listener, tls);
  const server: Server = secure ?? createServer(requestLimits, listener);
  server.setTimeout(idleMs);
  server.maxConnections = maxConnections;
  server.on('drop', () => onDrop(new Error('all_full')));
  // Node itself would answer 417, past rates and log, on a connection that may repeat it without end.
  server.on('checkExpectation', listener);
  holdToShare(server, options);
  /** For the connections to come. @throws when the texts are no certificate and its key */
  const useTls = (files: TlsFiles): void =>
    secure?.setSecureContext({ ...files, minVersion: tlsLimits.minVersion });
  return { server, useTls };
}

/** Runs before TLS and HTTP cost anything, so that one address, silent or not, can't hold all places. */
function holdToShare(server: Server, { maxOfAddress, isTrusted, onDrop }: ListenerOptions): void {
  const held = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    // The client was gone before the server accepted the connection.
    if (socket.remoteAddress === undefined || isTrusted(socket.remoteAddress)) return;
    const address = ipNetwork(socket.remoteAddress);
    const count = (held.get(address) ?? 0) + 1;
    if (count > maxOfAddress) {
      onDrop(new Error('address_full'));
      socket.destroy();
      return;
    }
    held.set(address, count);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left === 0) held.delete(address);
      else held.set(address, left);
    });
  });
}

function createTlsServer(listener: RequestListener, tls: TlsFiles) {
  try {
    return createSecureServer({ ...requestLimits, ...tlsLimits, ...tls }, listener);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const { apiTlsCert, apiTlsKey } = variables;
    throw new ConfigError([
      `${apiTlsCert.name} and ${apiTlsKey.name} are no certificate and its key: ${reason}`,
    ]);
  }
}

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { ConfigError, variables } from '@aosc/config';
import { type ConnectionLimits, createServerTurns, limitConnections, takeTurns } from './limit-connections';
import { toOriginForm } from './request-target';

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What one connection may cost before its request is there; looked at every few seconds. */
const requestLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
};
/** A client that says nothing, or too slowly, before TLS stands; Node's own limit is two minutes. */
const handshakeTimeoutMs = 10_000;
const minVersion = 'TLSv1.2';

export interface ListenerOptions {
  /** undefined: plain HTTP */
  readonly tls: TlsFiles | undefined;
  /** milliseconds without a byte in either direction after which a connection ends: longer than an answer takes */
  readonly idleMs: number;
  readonly connections: ConnectionLimits;
}

/** A server that listens for the API. */
export interface ApiListener {
  readonly server: Server;
  /** Takes another certificate for the connections to come. @throws when the texts are no certificate and its key */
  readonly useTls: (tls: TlsFiles) => void;
}

/**
 * Makes the server that listens for the API, with bounds on connections and headers.
 * @throws ConfigError when the texts are no certificate and its key
 */
export function createApiListener(app: RequestListener, options: ListenerOptions): ApiListener {
  const { tls, idleMs, connections } = options;
  const turns = createServerTurns(connections);
  const listener = takeTurns(withOriginForm(app), turns, connections.onDrop);
  const secure = tls === undefined ? undefined : createTlsServer(listener, tls);
  const server = secure ?? createServer(requestLimits, listener);
  server.setTimeout(idleMs);
  // Node itself would answer 417, past turns, rates and log, on a connection that stays open for any number of them.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  limitConnections(server, connections, turns, tls !== undefined);
  return {
    server,
    useTls: (files) => {
      secure?.setSecureContext({ ...files, minVersion });
    },
  };
}

/** Express answers a target that it can't read with a page of its own, before authentication and every other rule. */
function withOriginForm(app: RequestListener): RequestListener {
  return (request, response) => {
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  };
}

function createTlsServer(app: RequestListener, tls: TlsFiles): SecureServer {
  try {
    return createSecureServer(
      { ...requestLimits, ...tls, minVersion, handshakeTimeout: handshakeTimeoutMs },
      app,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const { apiTlsCert, apiTlsKey } = variables;
    throw new ConfigError([
      `${apiTlsCert.name} and ${apiTlsKey.name} are no certificate and its key: ${reason}`,
    ]);
  }
}

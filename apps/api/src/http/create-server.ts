import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { ConfigError, variables } from '@aosc/config';
import { toOriginForm } from './request-target';

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What one connection may cost before its request is there; looked at every few seconds. */
const connectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
};
const maxConnections = 2_000;

/**
 * Makes the server that listens for the API, with bounds on connections and headers.
 * @param tls undefined: plain HTTP
 * @throws ConfigError when the texts are no certificate and its key
 */
export function createApiListener(app: RequestListener, tls: TlsFiles | undefined): Server {
  const listener = withOriginForm(app);
  const server =
    tls === undefined ? createServer(connectionLimits, listener) : createTlsServer(listener, tls);
  server.maxConnections = maxConnections;
  return server;
}

/** Express answers a target that it can't read with a page of its own, before authentication and every other rule. */
function withOriginForm(app: RequestListener): RequestListener {
  return (request, response) => {
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  };
}

function createTlsServer(app: RequestListener, tls: TlsFiles): Server {
  try {
    return createSecureServer({ ...connectionLimits, ...tls, minVersion: 'TLSv1.2' }, app);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const { apiTlsCert, apiTlsKey } = variables;
    throw new ConfigError([
      `${apiTlsCert.name} and ${apiTlsKey.name} are no certificate and its key: ${reason}`,
    ]);
  }
}

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { type AppConfig, isLoopback, readApiTls, variables } from '@aosc/config';
import { logSeldom } from '@aosc/runtime';
import { countEvents, createMetrics, type Logger, openTraces } from '@aosc/telemetry';
import { createApp } from './app';
import { loadAuthenticator } from './auth/authenticator';
import { openAuditLog } from './auth/audit';
import { readSessionKey, createSessions } from './auth/session/sessions';
import { connect } from './connect';
import { allowHosts } from './http/allowed-hosts';
import { createApiListener } from './http/create-server';
import { inNetworks } from './limits/ip-network';
import { createLimits } from './limits/limits';
import { readPageFiles } from './page/page-files';
import { followFiles } from './reload/follow-files';
import { createStartAdmission } from './start/start-shares';

/** Requests that still run at a shutdown get this long to end. */
const graceMs = 4_000;
const maxConnections = 2_000;
/** Connections that may wait to be accepted; a client whose connection does not fit tries again a second later. */
const backlog = 1_024;
/** A connection may be silent for as long as OpenSearch may take, and this much longer. */
const idleReserveMs = 60_000;
/** How often the API checks credentials and certificates, which are some kilobytes. */
const reloadEveryMs = 5_000;

export interface ServerOptions {
  /** how often the API checks credentials and certificates */
  readonly reloadEveryMs?: number;
  /** where the audit log goes without a file; default: stdout */
  readonly auditStream?: Writable;
}

export interface ApiServer {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Takes no new requests, lets running ones end for some seconds, and closes all connections. */
  close(): Promise<void>;
}

/**
 * Wires the API and listens. It starts without OpenSearch and Redis; `/readyz` says what is missing.
 * @throws ConfigError when a file that the configuration names can't be used
 */
export async function startApiServer(
  config: AppConfig<'api'>,
  processLogger: Logger,
  options: ServerOptions = {},
): Promise<ApiServer> {
  const parts = await openParts(config, processLogger, options);
  try {
    return await serve(config, options, parts);
  } catch (error) {
    await parts.connections.close();
    throw error;
  }
}

async function openParts(config: AppConfig<'api'>, processLogger: Logger, options: ServerOptions) {
  const metrics = createMetrics('api');
  const logger = countEvents(processLogger, (event) => metrics.countEvent(event));
  const tls = readApiTls(config);
  const credentials = loadAuthenticator(config.authFile, () => connections.endForeignStreams());
  const sessionKey = readSessionKey(config.sessionKeyFile);
  const audit = openAuditLog(config.auditLog, logger, options.auditStream);
  const traces = await openTraces('api', config, logger);
  const connections = connect(config, logger, metrics, traces);
  return { metrics, logger, tls, credentials, sessionKey, audit, traces, connections };
}

async function serve(
  config: AppConfig<'api'>,
  options: ServerOptions,
  parts: Awaited<ReturnType<typeof openParts>>,
): Promise<ApiServer> {
  const { metrics, logger, tls, credentials, sessionKey, audit, traces, connections } = parts;
  const authenticate = credentials?.authenticate;
  const limits = createLimits(connections.budgets, config.apiRatePerSecond);
  const isBehindTls = config.apiProxyTls === 'yes';
  const isTrustedProxy = inNetworks(config.apiTrustedProxies);
  const app = createApp({
    ...connections.connected,
    logger,
    audit,
    metrics,
    traces,
    now: Date.now,
    authenticate,
    findCredential: credentials?.findCredential,
    sessions:
      credentials &&
      createSessions({
        key: sessionKey,
        findCredential: credentials.findCredential,
        isSecure: tls !== undefined || isBehindTls,
        ended: limits.endedSessions,
        now: Date.now,
      }),
    limits,
    isTrustedProxy,
    isBehindTls,
    hiddenIndices: config.hiddenIndices,
    limitedMigrations: config.apiLimitedMigrations,
    snapshotKeepAliveMs: config.snapshotKeepAliveMs,
    admission: createStartAdmission(config.requestTimeoutMs),
    page: readPageFiles(),
    hosts: allowHosts(config.apiHost, config.apiAllowedHosts, authenticate !== undefined),
  });
  if (authenticate !== undefined && tls === undefined && !isBehindTls) warnOfPlainHttp(config, logger);
  const { server, useTls } = createApiListener(app, {
    tls,
    idleMs: config.requestTimeoutMs + idleReserveMs,
    maxConnections,
    maxOfAddress: config.apiConnectionsPerAddress,
    isTrusted: isTrustedProxy,
    onDrop: logDrops(logger),
  });
  const what = `${variables.apiTlsCert.name} and ${variables.apiTlsKey.name}`;
  const certificate = tls && { what, inUse: tls, read: () => readApiTls(config) ?? tls, apply: useTls };
  const checks = [
    ...(credentials ? [followFiles(credentials.files, logger)] : []),
    ...(certificate ? [followFiles(certificate, logger)] : []),
  ];
  const checkAll = () => checks.forEach((check) => check());
  const following = setInterval(checkAll, options.reloadEveryMs ?? reloadEveryMs);
  await listen(server, config.apiHost, config.apiPort).catch((error: unknown) => {
    clearInterval(following);
    throw error;
  });
  return {
    scheme: tls === undefined ? 'http' : 'https',
    host: config.apiHost,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      clearInterval(following);
      connections.endStreams();
      await closeServer(server);
      await connections.close();
      await traces.close();
    },
  };
}

/** A flood of connections must not become a flood of lines. */
function logDrops(logger: Logger) {
  const log = ({ message: reason }: Error, silent: number): void =>
    logger.info('connections were dropped', { event: 'connections_dropped', reason, number: silent + 1 });
  return logSeldom(log, () => performance.now());
}

function warnOfPlainHttp({ apiHost }: AppConfig<'api'>, logger: Logger): void {
  if (isLoopback(apiHost)) return;
  logger.warn(
    'passwords and keys cross the network unencrypted: set AOSC_API_TLS_CERT, or put TLS in front of the API and set AOSC_API_PROXY_TLS',
  );
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

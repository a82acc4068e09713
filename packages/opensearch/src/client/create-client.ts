import { Agent, IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { ClusterError, type Call } from '@aosc/engine';
import { isAborted, onAbort, type RunningRequest } from '@aosc/signals';
import { Client } from '@opensearch-project/opensearch';
import { createSigner } from './aws-signing';
import { type EndRequest, gatewayStatuses } from './node';
import { clientParts, NodePool, Ticket } from './node-pool';
import { pathTemplate } from './path-template';
import { readBody } from './read-body';
import type { ClientOptions, OpenSearchClient, SendRequest } from './request';

const defaultRequestTimeoutMs = 60_000;
const defaultMaxSockets = 64;
const defaultMaxResponseBytes = 128 * 1024 * 1024;
/** We close idle connections before a load balancer does (60 s is common), which could hit a request. */
const idleSocketMs = 30_000;
/** The address of a lost machine refuses nothing: without a bound the system would wait two minutes. */
const longestConnectMs = 10_000;
/** The client passes on the text of such an error, but not its code. */
const nobodyListens =
  /\b(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|connect ETIMEDOUT|no connection to)\b/;

/**
 * Opens a client on one or more nodes. It uses them in turn; a node that does not answer is left out until it answers a
 * ping.
 * @throws ClusterError 'invalid' for a malformed URL; the message never contains the URL
 */
export function createClient(options: ClientOptions): OpenSearchClient {
  const urls = options.nodes.map(parseNodeUrl);
  if (urls.length === 0) throw new ClusterError('invalid', 'no OpenSearch URL was given');
  const auth = options.credentials ?? urls.map(readCredentials).find((found) => found !== undefined);
  if (options.aws !== undefined && auth !== undefined) {
    throw new ClusterError('invalid', 'requests can be signed for AWS or carry a password, not both');
  }
  const timeoutMs = options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  const maxBytes = options.maxResponseBytes ?? defaultMaxResponseBytes;
  const maxSockets = options.maxSockets ?? defaultMaxSockets;
  const openAgent = (url: URL, purpose: 'requests' | 'ping') =>
    createAgent(url, purpose === 'ping' ? 1 : maxSockets, options);
  const nodes = new NodePool(
    openAgent,
    timeoutMs,
    () => performance.now(),
    (node) => options.onRenewal?.(node),
  );
  const signer = options.aws && createSigner(options.aws, options.openAwsProvider);
  const client = new Client({
    nodes: urls.map((url) => describeNode(url, options.aws !== undefined)),
    ...(auth === undefined ? {} : { auth }),
    ...signer,
    ...clientParts(nodes, longestConnectMs, signer?.Connection),
    agent: ({ url }) => openAgent(url, 'requests'),
    maxRetries: 0,
    requestTimeout: timeoutMs,
  });
  return {
    async send(request, call) {
      const traced = options.trace?.beginRequest(request.method, () => pathTemplate(request.path));
      try {
        const limits = { timeoutMs: call.timeoutMs ?? timeoutMs, maxBytes };
        const { answer, server } = await send(client, request, call, limits, traced);
        traced?.end({ status: answer.status, ...(server && { server }) });
        return answer;
      } catch (error) {
        traced?.end({ failure: error instanceof ClusterError ? error.kind : 'unknown' });
        throw error;
      }
    },
    nodes: () => nodes.describe(),
    close: () => {
      nodes.close();
      return client.close();
    },
  };
}

function describeNode(url: URL, isSigned: boolean): { url: URL; headers?: Record<string, string> } {
  const bare = withoutCredentials(url);
  // The signer would otherwise send and sign a Host without its port.
  return { url: bare, ...(isSigned ? { headers: { host: url.host } } : {}) };
}

function createAgent(
  url: URL,
  maxSockets: number,
  { ca, clientCertificate }: Pick<ClientOptions, 'ca' | 'clientCertificate'>,
): Agent | SecureAgent {
  const common = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleSocketMs };
  if (url.protocol === 'http:') return new Agent(common);
  return new SecureAgent({ ...common, ...(ca === undefined ? {} : { ca }), ...clientCertificate });
}

async function send(
  client: Client,
  request: SendRequest,
  call: Call,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
  traced: RunningRequest | undefined,
) {
  const what = `${request.method} ${request.path}`;
  if (call.signal.aborted) throw aborted(what);
  const opaqueId = call.opaqueId ?? traced?.opaqueId;
  const ticket = new Ticket();
  const running = client.transport.request(
    {
      method: request.method,
      path: request.path,
      ...(request.query === undefined ? {} : { querystring: { ...request.query } }),
      ...(request.body === undefined ? {} : { body: request.body }),
    },
    {
      id: ticket,
      asStream: true,
      maxRetries: 0,
      // idle time of the socket; the timer below bounds the whole exchange
      requestTimeout: timeoutMs,
      headers: {
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...(opaqueId === undefined ? {} : { 'x-opaque-id': opaqueId }),
        ...(traced === undefined ? {} : { traceparent: traced.traceparent }),
      },
    },
  );
  const state: { response: IncomingMessage | undefined; timedOut: boolean } = {
    response: undefined,
    timedOut: false,
  };
  let giveUp: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new Error('stopped'));
  });
  const stop = () => {
    if (state.response === undefined) running.abort();
    else state.response.destroy();
    giveUp?.();
  };
  const timer = setTimeout(() => {
    state.timedOut = true;
    stop();
  }, timeoutMs);
  const forget = onAbort(call.signal, stop);
  try {
    // While a signer waits for credentials, the client would end an aborted request only when they arrive.
    const answer = await Promise.race([running, stopped]);
    const stream: unknown = answer.body;
    if (!(stream instanceof IncomingMessage)) throw new Error('the client gave no response stream');
    state.response = stream;
    const reading = readBody(stream, maxBytes, what);
    if (isAborted(call.signal) || state.timedOut) stop();
    const body = await reading;
    const status = answer.statusCode ?? 0;
    ticket.end?.(gatewayStatuses.includes(status) ? 'doubted' : 'answered');
    return {
      answer: { status, body },
      server: addressOf(answer.meta.connection),
    };
  } catch (error) {
    const failure = isAborted(call.signal)
      ? aborted(what)
      : state.timedOut
        ? new ClusterError('transient', `${what}: no complete answer within ${timeoutMs} ms`)
        : asClusterError(what, error);
    ticket.end?.(endOf(failure));
    throw failure;
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function asClusterError(what: string, error: unknown): ClusterError {
  if (error instanceof ClusterError) return error;
  const reason = describeFailure(error);
  const awaited = nobodyListens.test(reason) ? ({ awaits: 'cluster' } as const) : {};
  return new ClusterError('transient', `${what}: ${reason}`, awaited);
}

/** How the node fared. An answer that we can't use is still an answer. */
function endOf({ kind, details }: ClusterError): Parameters<EndRequest>[0] {
  if (kind === 'aborted') return 'given_up';
  if (kind !== 'transient') return 'answered';
  return details.awaits === 'cluster' ? 'refused' : 'lost';
}

/** The node that has answered. */
function addressOf(connection: { readonly url: URL } | null) {
  if (connection === null) return undefined;
  const { hostname, port, protocol } = connection.url;
  return { host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

function aborted(what: string): ClusterError {
  return new ClusterError('aborted', `${what}: given up by the caller; OpenSearch may still carry it out`);
}

/** Only name and message: the client's errors carry the request's body, and with it the users' documents. */
function describeFailure(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown failure';
}

function parseNodeUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ClusterError('invalid', 'an OpenSearch URL can not be parsed');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ClusterError('invalid', 'an OpenSearch URL must begin with http:// or https://');
  }
  return url;
}

function readCredentials(url: URL): { username: string; password: string } | undefined {
  if (url.username === '') return undefined;
  return { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

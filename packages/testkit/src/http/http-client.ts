import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';

/**
 * The oracle's own way to OpenSearch: `node:http` and nothing of the code it judges. Each request goes to the next URL
 * in turn, so a dead node costs one failed attempt; a caller can leave out a node that is known to be away.
 */
export interface HttpClient {
  /** @throws {ConnectionError} when no complete answer came; any status is an answer */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Closes the idle connections. */
  close(): void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** path with its query string, each part encoded */
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** default: `application/json` */
  readonly contentType?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** names in lower case; headers that came more than once are joined */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** No complete answer. `maybeDelivered`: the server may have done what was asked all the same. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  constructor(
    message: string,
    readonly maybeDelivered: boolean,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

const defaultTimeoutMs = 60_000;
const neverDelivered = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const authorities: string[] = [];

/** From now on every new client of this process trusts certificates of that authority (PEM) too, as NODE_EXTRA_CA_CERTS does. */
export function trustAuthority(certificate: string): void {
  authorities.push(certificate);
}

/**
 * @param urls base URLs of the cluster's nodes; user and password may be part of them
 * @param isAway whether a URL is left out now, as a load balancer does whose health check has failed; when all are away,
 *   the next one is asked all the same
 */
export function createHttpClient(
  urls: readonly string[],
  isAway: (url: string) => boolean = () => false,
): HttpClient {
  const bases = urls.map((url) => new URL(url));
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const tlsAgent = new TlsAgent({
    keepAlive: true,
    maxSockets: 64,
    ...(authorities.length > 0 && { ca: [...rootCertificates, ...authorities] }),
  });
  let turn = 0;

  function nextBase(): URL | undefined {
    for (let tries = 0; tries < urls.length; tries += 1) {
      const at = turn++ % urls.length;
      if (!isAway(urls[at] ?? '')) return bases[at];
    }
    return bases[turn++ % bases.length];
  }

  function open(base: URL, request: HttpRequest, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    const tls = base.protocol === 'https:';
    const options = {
      method: request.method,
      agent: tls ? tlsAgent : agent,
      headers: {
        'content-type': request.contentType ?? 'application/json',
        'content-length': request.body === undefined ? 0 : Buffer.byteLength(request.body),
      },
      ...(base.username === ''
        ? {}
        : { auth: `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}` }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    };
    const target = new URL(base.pathname.replace(/\/$/, '') + request.path, base.origin);
    return tls ? tlsRequest(target, options, onAnswer) : httpRequest(target, options, onAnswer);
  }

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const base = nextBase();
        if (base === undefined) throw new Error('an HTTP client needs at least one URL');
        const fail = (error: unknown): void => reject(describeFailure(request, base, error));
        const outgoing = open(base, request, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', fail);
          answer.on('aborted', () => fail(new Error('the answer was cut off')));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: joinHeaders(answer),
              body: Buffer.concat(chunks),
            }),
          );
        });
        const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
        outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no answer in ${timeoutMs} ms`)));
        outgoing.on('error', fail);
        outgoing.end(request.body);
      }),
    close: () => {
      agent.destroy();
      tlsAgent.destroy();
    },
  };
}

/** Headers as the OpenAPI check and `fetch` have them: one text for each name. */
export function joinHeaders({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  );
}

/** Reads the fields and not the class: in a test sandbox Node's own errors are of another `Error`. */
function describeFailure(request: HttpRequest, base: URL, error: unknown): ConnectionError {
  const fields: { code?: unknown; message?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  return new ConnectionError(
    `${request.method} ${request.path.split('?')[0] ?? ''} at ${base.host}: ${String(fields.message ?? error)}`,
    !neverDelivered.has(String(fields.code)),
    { cause: error },
  );
}

import { type Agent, request as httpRequest } from 'node:http';
import type { Exchange } from '@aosc/testkit';
import type { FuzzRequest } from './fuzz-request';

/** Generous: what has no answer by then hangs. */
const patienceMs = 60_000;

/**
 * Sends a request as it is, without anything that a browser or `fetch` would correct. A server may close a connection
 * on which it has refused something while the next request is on its way: that request is sent again, on a new
 * connection.
 */
export async function sendRequest(baseUrl: string, agent: Agent, request: FuzzRequest): Promise<Exchange> {
  try {
    return await sendOnce(baseUrl, agent, request);
  } catch (error) {
    const { cause }: { cause?: unknown } = error instanceof Error ? error : {};
    const { code }: { code?: unknown } = typeof cause === 'object' && cause !== null ? cause : {};
    if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
    return sendOnce(baseUrl, false, request);
  }
}

function sendOnce(baseUrl: string, agent: Agent | false, request: FuzzRequest): Promise<Exchange> {
  const { hostname: host, port } = new URL(baseUrl);
  const { method, target: path, headers, body } = request;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const given = Object.fromEntries(headers);
  const length = bytes === undefined ? {} : { 'content-length': bytes.length };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new Error(`${show(request)}: ${error.message}`, { cause: error }));
    const outgoing = httpRequest(
      { host, port, method, path, agent, headers: { ...given, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        response.once('end', () => {
          const answered = Object.entries(response.headers).map(
            ([name, value]) => [name, String(value)] as const,
          );
          resolve({
            method,
            path,
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(answered),
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      },
    );
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)));
    outgoing.once('error', fail);
    outgoing.end(bytes);
  });
}

/** The request as a failure shows it. */
export function show({ method, target, headers, body }: FuzzRequest): string {
  const content = body === undefined ? '' : ` ${Buffer.from(body).toString('utf8')}`;
  const text = `${method} ${target} ${JSON.stringify(headers)}${content}`;
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} characters)` : text;
}

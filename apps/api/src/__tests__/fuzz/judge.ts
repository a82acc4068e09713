import { createOpenApiDocument } from '@aosc/contract';
import { createAnswerCheck, type Exchange } from '@aosc/testkit';

/** What Node's own parser refuses before the API sees a request: it answers without a body, and closes. */
const statusesOfParser = [400, 408, 413, 417, 431];
const trace = /\n[ \t]+at |\.[jt]s:\d+|node_modules|node:internal/;

const checkAnswer = createAnswerCheck(createOpenApiDocument());

/** An answer that no request may get. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/**
 * Holds an answer to what is true of all of them.
 * @param secrets texts that no answer may hold
 * @throws BadAnswer, BrokenPromise
 */
export function judge(exchange: Exchange, secrets: readonly string[]): void {
  const { status, headers, body } = exchange;
  const fail = (what: string): never => {
    throw new BadAnswer(`${what}: ${status} ${JSON.stringify(headers)} ${body.slice(0, 1_000)}`);
  };
  if (status < 200 || status >= 500) fail('a status that no request may get');
  if (body.length > 100_000 && !exchange.path.startsWith('/openapi.json')) fail('a large answer');
  for (const secret of secrets) if (body.includes(secret)) fail('a secret in the answer');
  if (trace.test(body) && status >= 400) fail('a stack in the answer');
  if (isOfParser(exchange)) return;
  if (headers['x-content-type-options'] !== 'nosniff') fail('an answer whose type a browser may guess');
  if (isPageOfBoard(exchange)) return;
  if (body !== '' && !/^(application\/json|text\/plain)/.test(headers['content-type'] ?? '')) {
    fail('an answer that is not data');
  }
  if (exchange.path !== '') checkAnswer({ ...exchange, path: exchange.path.split('#', 1)[0] ?? '' });
  // Over a bare connection the request is not known: any JSON, unless it was HEAD.
  else if (body !== '' && headers['content-type']?.startsWith('application/json')) JSON.parse(body);
}

/** Whether the request did not come as far as the API. */
export function isOfParser({ status, headers, body }: Exchange): boolean {
  return (
    statusesOfParser.includes(status) &&
    headers['connection'] === 'close' &&
    headers['content-type'] === undefined &&
    headers['x-content-type-options'] === undefined &&
    body === ''
  );
}

/** The one page there is, which is no part of the API's document. */
function isPageOfBoard({ path, status, headers }: Exchange): boolean {
  return (
    /^\/queues([/?#]|$)/.test(path) &&
    status === 200 &&
    (headers['content-security-policy'] ?? '').startsWith("default-src 'none'; script-src 'self';")
  );
}

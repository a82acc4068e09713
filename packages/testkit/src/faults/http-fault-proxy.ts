import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { controlsOf } from './controls';
import type { Fault, FaultProxy } from './fault';
import { createFaultRules, type FaultRules } from './fault-rules';
import { openGateway } from './gateway';

export interface HttpCall {
  readonly method: string;
  /** with its query string, as it came */
  readonly path: string;
  /** names in lower case */
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface HttpReply {
  readonly status: number;
  /** only where the fault waits for the whole answer: `after` */
  readonly body?: Buffer;
}

export interface CannedHttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type HttpFault = Fault<HttpReply, CannedHttpAnswer>;
export type HttpFaultProxy = FaultProxy<HttpCall, HttpReply, CannedHttpAnswer>;
type Rules = FaultRules<HttpCall, HttpReply, CannedHttpAnswer>;

/** What OpenSearch says when it has too much to do: with 429 from a full queue or a circuit breaker. */
export function overloaded(status: 429 | 503 = 429): { readonly answer: CannedHttpAnswer } {
  const type = status === 429 ? 'rejected_execution_exception' : 'cluster_block_exception';
  const error = { type, reason: 'refused by the test' };
  const body = JSON.stringify({ error: { root_cause: [error], ...error }, status });
  return { answer: { status, headers: { 'content-type': 'application/json' }, body } };
}

/**
 * Stands between one process and one OpenSearch node. Requests and answers keep their bytes, headers with their order
 * and letters included; an answer is passed on as it comes. A request that is passed on is carried out even when its
 * connection has gone meanwhile, unless no fault met it: then it is given up as a direct one would be.
 * @param target base URL of the node, plain http
 */
export async function startHttpFaultProxy(target: string): Promise<HttpFaultProxy> {
  const rules: Rules = createFaultRules();
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    readAll(incoming)
      .then((body) => serve({ incoming, outgoing, body, rules, open: openUpstream }))
      .catch(() => incoming.socket.destroy());
  });
  // It is for the two ends to say how long a connection lives.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 });

  function openUpstream({ method, url, rawHeaders }: IncomingMessage): ClientRequest {
    return request({ host: hostname, port, method, path: url, headers: rawHeaders, agent });
  }

  const gateway = await openGateway((socket) => server.emit('connection', socket));
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    ...controlsOf(rules, gateway),
    stop: async () => {
      await gateway.stop();
      agent.destroy();
    },
  };
}

interface Passage {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly rules: Rules;
  readonly open: (incoming: IncomingMessage) => ClientRequest;
}

async function serve({ incoming, outgoing, body, rules, open }: Passage): Promise<void> {
  const { method = 'GET', url = '/', headers, socket } = incoming;
  const call: HttpCall = { method, path: url, headers, body };
  const fault = rules.find(call);
  if (fault.answer !== undefined) {
    const text = fault.answer.body ?? '';
    outgoing.writeHead(fault.answer.status, {
      'content-length': String(Buffer.byteLength(text)),
      ...fault.answer.headers,
    });
    outgoing.end(text);
    return;
  }
  if (fault.before !== undefined && (await fault.before()) === 'drop') {
    socket.destroy();
    return;
  }
  const isMarked = fault.before !== undefined || fault.after !== undefined;
  if (socket.destroyed && !isMarked) return;
  const upstream = open(incoming);
  upstream.on('error', () => socket.destroy());
  if (!isMarked) {
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) upstream.destroy();
    });
  }
  upstream.once('response', (answer) => {
    answer.on('error', () => socket.destroy());
    const reply: HttpReply = { status: answer.statusCode ?? 0 };
    const notify = (given: HttpReply): void => rules.notify({ call, reply: given });
    if (fault.after === undefined) {
      notify(reply);
      deliver(answer, outgoing, fault.cutAnswerAfterBytes);
      return;
    }
    void deliverAfter(answer, outgoing, { fault, reply, notify });
  });
  upstream.end(body);
}

function deliver(answer: IncomingMessage, outgoing: ServerResponse, cutAfterBytes: number | undefined): void {
  writeHead(answer, outgoing);
  let left = cutAfterBytes ?? Infinity;
  answer.on('data', (chunk: Buffer) => {
    if (left === 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (left === 0) {
      outgoing.write(part, () => outgoing.destroy());
      return;
    }
    if (outgoing.write(part) || outgoing.destroyed) return;
    answer.pause();
    outgoing.once('drain', () => answer.resume());
  });
  answer.once('end', () => {
    if (left > 0) outgoing.end();
  });
  outgoing.once('close', () => answer.resume());
}

async function deliverAfter(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  {
    fault,
    reply,
    notify,
  }: { readonly fault: HttpFault; readonly reply: HttpReply; readonly notify: (given: HttpReply) => void },
): Promise<void> {
  let body: Buffer;
  try {
    body = await readAll(answer);
  } catch {
    outgoing.destroy();
    return;
  }
  const whole = { ...reply, body };
  notify(whole);
  if (fault.after !== undefined && (await fault.after(whole)) === 'cut') {
    outgoing.destroy();
    return;
  }
  if (outgoing.destroyed) return;
  writeHead(answer, outgoing);
  outgoing.end(body);
}

function writeHead(
  { statusCode = 502, statusMessage = '', rawHeaders }: IncomingMessage,
  outgoing: ServerResponse,
): void {
  outgoing.sendDate = false;
  outgoing.writeHead(statusCode, statusMessage, rawHeaders);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (chunk instanceof Buffer) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

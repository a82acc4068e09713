import fc from 'fast-check';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Exchange } from '@aosc/testkit';
import type { Targets } from './fuzz-request';

/** Bytes for a connection of their own, which no HTTP client would send. */
export interface WireCase {
  readonly what: string;
  readonly bytes: Uint8Array;
  /** what the client does after them; `wait`: the server ends the connection when it has answered */
  readonly then: 'wait' | 'half-close' | 'vanish';
  /** complete requests in the bytes: each must get an answer */
  readonly answers?: number;
}

/** Texts in wire cases that must not come back, nor stand in a log. */
export const urlPassword = 'fuzz-url-password';

const patienceMs = 60_000;
const eol = '\r\n';
const host = 'host: 127.0.0.1\r\n';
const closing = `${host}connection: close\r\n`;
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

const wait = (what: string, text: string): WireCase => ({ what, bytes: latin1(text), then: 'wait' });
const halfClosed = (what: string, text: string): WireCase => ({
  what,
  bytes: latin1(text),
  then: 'half-close',
});

/** Whole URLs, and what is none, where a path should be. */
const targets = [
  'http://[::1',
  'http://[::1/healthz',
  `http://user:${urlPassword}@127.0.0.1/nowhere`,
  `http://user:${urlPassword}@127.0.0.1/_plugins/_aosc/_list?sise=1`,
  'http://127.0.0.1:99999999/_plugins/_aosc/_list',
  'http://',
  'http:///',
  'http:/healthz',
  'http://127.0.0.1/%zz',
  'ftp://x/healthz',
  'javascript://%0aalert(1)',
  '//evil.example/_plugins/_aosc/_list',
  '/\\evil.example/..',
  '/./healthz',
  '/../../etc/passwd',
  '/healthz#fragment',
  '/healthz;a=b',
  '/_plugins/_aosc/\u0000/_status',
  '/_plugins/_aosc/\u00ff\u00fe/_status',
  '/_plugins/_aosc/\u00c3(/_status',
  '/_plugins/_aosc/a b/_status',
  '*',
  '?',
  '',
];

/** Two ways to read where a request ends. The body is a request that would change something, if it were taken for one. */
function smuggling({ running }: Targets): readonly WireCase[] {
  const inner = `POST /_plugins/_aosc/${running}/_cancel HTTP/1.1${eol}${closing}content-length: 0${eol}${eol}`;
  const chunk = `${inner.length.toString(16)}${eol}${inner}${eol}0${eol}${eol}`;
  const framings = [
    `content-length: 0${eol}transfer-encoding: chunked${eol}${eol}0${eol}${eol}${inner}`,
    `transfer-encoding: chunked${eol}content-length: 4${eol}${eol}${chunk}`,
    `content-length: 0${eol}content-length: ${inner.length}${eol}${eol}${inner}`,
    `content-length: ${inner.length}${eol}content-length: 0${eol}${eol}${inner}`,
    `content-length: 0, ${inner.length}${eol}${eol}${inner}`,
    `content-length: +${inner.length}${eol}${eol}${inner}`,
    `content-length: -1${eol}${eol}${inner}`,
    `content-length: 0x0${eol}${eol}${inner}`,
    `content-length: 99999999999999999999999${eol}${eol}${inner}`,
    `content-length : 0${eol}${eol}${inner}`,
    `transfer-encoding: identity${eol}${eol}${inner}`,
    `transfer-encoding: xchunked${eol}${eol}${inner}`,
    `transfer-encoding: chunked, identity${eol}${eol}${inner}`,
    `transfer-encoding : chunked${eol}${eol}${chunk}`,
    `transfer-encoding:\u000bchunked${eol}${eol}${inner}`,
    `x: y${eol} content-length: 0${eol}content-length${eol}${eol}${inner}`,
    `x: y\rcontent-length: 0${eol}${eol}${inner}`,
    `x: y\ncontent-length: 0\n\n${inner.replaceAll('connection: close', 'connection close')}`,
  ];
  return framings.map((framing) =>
    halfClosed('two ways to find the end', `PUT /_cluster/settings HTTP/1.1${eol}${host}${framing}`),
  );
}

/** Bodies that end before they should. Whole, they would change something. */
const cutBodies = fc
  .tuple(fc.nat({ max: 40 }), fc.constantFrom('half-close', 'vanish'), fc.boolean())
  .map(([kept, then, chunked]): WireCase => {
    const body = '{"persistent":{"aosc.backfill.read.page_size":77}}';
    const head = `PUT /_cluster/settings HTTP/1.1${eol}${closing}content-type: application/json${eol}`;
    const part = body.slice(0, kept);
    const rest = chunked
      ? `transfer-encoding: chunked${eol}${eol}${body.length.toString(16)}${eol}${part}`
      : `content-length: ${body.length}${eol}${eol}${part}`;
    return { what: 'a body that is cut', bytes: latin1(head + rest), then };
  });

const badChunks = fc
  .constantFrom('zz', '-1', 'FFFFFFFFFFFFFFFFF', '0x5', '5;'.repeat(3_000), ' 5', '5\n', '', '\u0000')
  .map((size) =>
    halfClosed(
      'a chunk without a size',
      `PUT /_cluster/settings HTTP/1.1${eol}${closing}content-type: application/json${eol}` +
        `transfer-encoding: chunked${eol}${eol}${size}${eol}{"persistent":{"aosc.backfill.read.page_size":77}}${eol}0${eol}${eol}`,
    ),
  );

const oddHeaders = fc
  .constantFrom(
    'x: y\r\n'.repeat(3_000),
    `x: ${'y'.repeat(70_000)}${eol}`,
    `${'x'.repeat(20_000)}: y${eol}`,
    `x: \u0000${eol}`,
    `x\u0000: y${eol}`,
    `: y${eol}`,
    `x${eol}`,
    `x: \u00ff\u0080${eol}`,
    `expect: 100-continue${eol}`,
    `expect: nothing${eol}`,
    `upgrade: h2c${eol}connection: upgrade${eol}`,
    `host: other.example${eol}`,
    `host:${eol}`,
    `origin: http://\u00e9.example${eol}`,
    `content-encoding: ${'gzip,'.repeat(1_000)}gzip${eol}content-length: 1${eol}${eol}x`,
    `if-none-match: ${'W/"'.repeat(2_000)}${eol}`,
    `authorization: Basic ${'A'.repeat(10_000)}${eol}`,
    `trailer: x${eol}transfer-encoding: chunked${eol}${eol}0${eol}x: y${eol}`,
  )
  .map((header) =>
    halfClosed('odd headers', `GET /_plugins/_aosc/_list?sise=1 HTTP/1.1${eol}${header}${closing}${eol}`),
  );

const oddLines = fc
  .constantFrom(
    'GET /healthz',
    'GET /healthz HTTP/0.9',
    'GET /healthz HTTP/1.0',
    'GET /healthz HTTP/9.9',
    'GET /healthz http/1.1',
    'get /healthz HTTP/1.1',
    'FROB /healthz HTTP/1.1',
    'CONNECT 127.0.0.1:9200 HTTP/1.1',
    'PRI * HTTP/2.0',
    ' GET /healthz HTTP/1.1',
    'GET  /healthz  HTTP/1.1',
    'GET\t/healthz\tHTTP/1.1',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc',
    'GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b',
    'GET /healthz HTTP/1.1\r\nconnection: close',
  )
  .map((line) => halfClosed('an odd first line', `${line}${eol}${closing}${eol}`));

const pipelined = fc.integer({ min: 2, max: 40 }).map((count): WireCase => {
  const one = `GET /_plugins/_aosc/_list?sise=1 HTTP/1.1${eol}${host}`;
  const text = `${`${one}${eol}`.repeat(count - 1)}${one}connection: close${eol}${eol}`;
  return { ...wait('requests one after the other', text), answers: count };
});

const noise = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes): WireCase => ({ what: 'noise', bytes, then: 'half-close' }));

/** What `node:http` and `fetch` can't be made to send. */
export function wireCase(given: Targets): fc.Arbitrary<WireCase> {
  const target = fc.tuple(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST'), fc.constantFrom(...targets));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...smuggling(given)) },
    {
      weight: 4,
      arbitrary: target.map(([method, text]) =>
        wait('an odd target', `${method} ${text} HTTP/1.1${eol}${closing}content-length: 0${eol}${eol}`),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(4_000, 15_000, 100_000)
        .map((size) => wait('a long path', `GET /${'a'.repeat(size)} HTTP/1.1${eol}${closing}${eol}`)),
    },
    { weight: 3, arbitrary: cutBodies },
    { weight: 2, arbitrary: badChunks },
    { weight: 3, arbitrary: oddHeaders },
    { weight: 3, arbitrary: oddLines },
    { weight: 1, arbitrary: pipelined },
    { weight: 2, arbitrary: noise },
  );
}

/** Sends the bytes and reads until the connection ends. @returns the answers, as far as there are any */
export async function sendBytes(baseUrl: string, { bytes, then }: WireCase): Promise<readonly Exchange[]> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: then === 'half-close' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The other side may close while these bytes are on their way; what it has said counts.
  socket.on('error', () => undefined);
  const ended = closed(socket);
  await Promise.race([once(socket, 'connect'), ended]);
  socket.write(bytes, () => {
    if (then === 'vanish') socket.destroy();
    if (then === 'half-close') socket.end();
  });
  socket.once('end', () => socket.end());
  await ended;
  return readAnswers(Buffer.concat(chunks));
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was still open after ${patienceMs} ms`));
    }, patienceMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Splits what came over a connection into answers. What stands there after a cut is left out. */
function readAnswers(bytes: Buffer): readonly Exchange[] {
  const answers: Exchange[] = [];
  let from = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', from);
    if (headEnd === -1) return answers;
    const [first = '', ...lines] = bytes.toString('latin1', from, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const bodyStart = headEnd + 4;
    // The only chunked ones are Node's own, and empty.
    const chunked = headers['transfer-encoding'] === 'chunked';
    const length = chunked ? '0\r\n\r\n'.length : Number(headers['content-length'] ?? 0);
    const body = chunked ? '' : bytes.toString('utf8', bodyStart, bodyStart + length);
    if (status !== 100) answers.push({ method: 'GET', path: '', status, headers, body });
    from = bodyStart + length;
  }
}

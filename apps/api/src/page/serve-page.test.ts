import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import express from 'express';
import { budgetsOfOne } from '../__tests__/budgets-of-one';
import { allowHosts } from '../http/allowed-hosts';
import { setSecurityHeaders } from '../http/security-headers';
import { createLimits } from '../limits/limits';
import { readPageFiles } from './page-files';
import { servePage } from './serve-page';

const { addresses } = createLimits(
  budgetsOfOne(() => 0),
  0,
);
const folder = mkdtempSync(join(tmpdir(), 'aosc-page-'));
const folders = { page: folder, docs: join(folder, 'docs') };
let server: Server;
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>AOSC</title>');
  writeFileSync(join(folder, 'assets/index-Abc_1-23.js'), 'void 0;'.repeat(200));
  writeFileSync(join(folder, 'assets/icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets/secret.key'), 'no part of a page');
  const app = express();
  app.use(
    ...setSecurityHeaders(false),
    servePage(readPageFiles(folders), allowHosts('127.0.0.1', [], false), addresses),
  );
  app.use((_request, response) => void response.status(404).json('nobody'));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = server.address() as AddressInfo;
  const asked = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(answer);
  return { status: answer.statusCode, headers: answer.headers, body };
}
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.each([
  '/',
  '/start',
  '/settings/',
  '/state',
  '/sign-in',
  '/migrations/books',
  '/migrations/a%2Fb',
  '/migrations/a/a__b__1',
  '/migrations/a/a__b__1/report',
])('a browser gets the page at %s', async (path) => {
  const { status, headers, body } = await ask(path, html);
  expect([status, body]).toEqual([200, '<!doctype html><title>AOSC</title>']);
  expect(headers['content-security-policy']).toContain("script-src 'self';");
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
  expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-cache' });
});

test.each<[string, Record<string, string>, string]>([
  ['/', {}, 'GET'],
  ['/', { accept: '*/*' }, 'GET'],
  ['/', { accept: 'application/json' }, 'GET'],
  ['/', html, 'POST'],
  ['/nowhere', html, 'GET'],
  ['/migrations', html, 'GET'],
  ['/migrations/a/b/c', html, 'GET'],
  ['/migrations/a/b/report/c', html, 'GET'],
  ['/docs/', html, 'GET'],
  ['/_plugins/_aosc/_list', html, 'GET'],
  ['/assets/nothing.js', html, 'GET'],
  ['/assets/secret.key', html, 'GET'],
  ['/docs/index.html', html, 'GET'],
  ['/assets/../index.html', {}, 'GET'],
  ['/', { ...html, host: 'evil.example' }, 'GET'],
])('%s with %j by %s is answered as without a page', async (path, headers, method) => {
  expect(await ask(path, headers, method)).toMatchObject({ status: 404, body: '"nobody"' });
});

test('a link on another site leads to the page: it has no data', async () => {
  const { status } = await ask('/', {
    ...html,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
  });
  expect(status).toBe(200);
});

test('files whose name changes with their content are kept for good; the others are asked for again', async () => {
  const script = await ask('/assets/index-Abc_1-23.js', { 'accept-encoding': 'gzip, br' });
  expect(script.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const icon = await ask('/assets/icon.svg');
  expect(icon.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  const again = await ask('/assets/icon.svg', { 'if-none-match': String(icon.headers.etag) });
  expect([again.status, again.body]).toEqual([304, '']);
});

test('HEAD is GET without a body', async () => {
  const { status, headers, body } = await ask('/', html, 'HEAD');
  expect([status, headers['content-length'], body]).toEqual([200, '34', '']);
});

test('a folder of the documentation is answered with its index', async () => {
  const docs = mkdtempSync(join(tmpdir(), 'aosc-docs-'));
  mkdirSync(join(docs, 'how-to'));
  for (const file of ['index.html', 'how-to/index.html']) writeFileSync(join(docs, file), file);
  const app = express();
  app.use(servePage(readPageFiles({ page: folder, docs }), allowHosts('127.0.0.1', [], false), addresses));
  const own = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(own, 'listening');
    const { port } = own.address() as AddressInfo;
    const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    expect([await read('/docs/'), await read('/docs/how-to/')]).toEqual(['index.html', 'how-to/index.html']);
  } finally {
    own.close();
    rmSync(docs, { recursive: true });
  }
});

test('a page that was not built is none', () => {
  expect(readPageFiles({ ...folders, page: join(folder, 'nowhere') })).toBeUndefined();
});

test('the documentation is served below /docs/ where it was made, and the page is told so', () => {
  const docs = mkdtempSync(join(tmpdir(), 'aosc-docs-'));
  try {
    mkdirSync(join(docs, 'how-to'));
    writeFileSync(join(docs, 'index.html'), '<title>Documentation</title>');
    writeFileSync(join(docs, 'how-to/use-the-page.html'), '<title>Use the page</title>');
    writeFileSync(join(folder, 'index.html'), '<head><title>AOSC</title></head>');
    const files = readPageFiles({ page: folder, docs });
    expect(files?.assets.get('/docs/how-to/use-the-page.html')?.bytes.toString()).toContain('Use the page');
    expect(files?.index.bytes.toString()).toBe(
      '<head><title>AOSC</title><meta name="aosc-docs" content="/docs/" /></head>',
    );
    expect(readPageFiles(folders)?.index.bytes.toString()).toBe('<head><title>AOSC</title></head>');
  } finally {
    rmSync(docs, { recursive: true });
  }
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type Stack, startStack } from '@aosc/local-stack';
import { callJson, createHttpClient, type HttpClient } from '@aosc/testkit';

jest.setTimeout(600_000);

let stack: Stack;
let http: HttpClient;
beforeAll(async () => {
  stack = await startStack();
  http = createHttpClient(stack.openSearchUrls);
});
afterAll(async () => {
  http.close();
  await stack.stop();
});

/** The lines of the README with the client of OpenSearch, in a process of their own: they are no TypeScript. */
function write(tryForMs: number): { readonly ended: Promise<string>; readonly refused: Promise<void> } {
  const file = join(__dirname, 'javascript/while-blocked.mjs');
  const script = `
    import { Client } from '@opensearch-project/opensearch';
    import { whileBlocked } from ${JSON.stringify(file)};
    const client = new Client({ node: ${JSON.stringify(stack.openSearchUrls[0])} });
    let refusals = 0;
    const send = () => client.index({ index: 'blocked', id: '1', body: { a: 1 } }).catch((error) => {
      if (refusals++ === 0) console.log('refused');
      throw error;
    });
    await whileBlocked(send, ${tryForMs}).then(
      ({ body }) => console.log(body.result),
      (error) => console.log(error.statusCode),
    );`;
  let out = '';
  let seen: (() => void) | undefined;
  const refused = new Promise<void>((resolve) => (seen = resolve));
  const ended = new Promise<string>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--input-type=module', '-e', script],
      { cwd: __dirname },
      (error) => (error === null ? resolve(out) : reject(new Error(error.message, { cause: error }))),
    );
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('refused')) seen?.();
    });
  });
  return { ended, refused };
}

const accept = (value: unknown): unknown => value;
const block = (value: boolean | null) =>
  callJson(http, accept, 'PUT', '/blocked/_settings', { 'index.blocks.write': value });

test('a write that is refused by a block is sent again until the block is lifted', async () => {
  await callJson(http, accept, 'PUT', '/blocked', {});
  await block(true);
  const { ended, refused } = write(90_000);
  await refused;
  await block(null);
  expect(await ended).toBe('refused\ncreated\n');
});

test('one whose time is over keeps its refusal', async () => {
  await block(true);
  expect(await write(0).ended).toBe('refused\n403\n');
});

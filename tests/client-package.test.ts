import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(600_000);

const root = join(__dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'aosc-client-'));
const installed = join(folder, 'node_modules/@aosc/client');

/** What npm would publish, unpacked as if it had been installed with its one dependency. */
beforeAll(() => {
  const pack = ['pack', '--silent', '--pack-destination', folder, '--workspace', 'packages/client'];
  execFileSync('npm', pack, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(installed, { recursive: true });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', installed]);
  symlinkSync(join(root, 'node_modules/@cfworker'), join(folder, 'node_modules/@cfworker'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Asks an API through the package in a process that may not make code from texts, as a page's policy has it. */
async function listWith(flags: readonly string[], load: string): Promise<unknown> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json');
    answer.end('{"migrations":[],"truncated":false,"active_count":0,"newer":1}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const script = `${load}
    createAoscClient({ url: 'http://127.0.0.1:${port}' }).list().then((answer) => console.log(JSON.stringify(answer)));`;
  try {
    const out = await new Promise<string>((resolve, reject) => {
      const args = ['--disallow-code-generation-from-strings', ...flags, '-e', script];
      execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr, { cause: error }));
      });
    });
    return JSON.parse(out);
  } finally {
    server.close();
  }
}

const answer = { migrations: [], truncated: false, active_count: 0, newer: 1 };

test('it can be imported, and makes no code from texts', async () => {
  const load = "import { createAoscClient } from '@aosc/client';";
  expect(await listWith(['--input-type=module'], load)).toEqual(answer);
});

test('and required', async () => {
  const load = "const { createAoscClient } = require('@aosc/client');";
  expect(await listWith(['--input-type=commonjs'], load)).toEqual(answer);
});

test('and imported in the project after its build', () => {
  rmSync(join(root, 'packages/client/dist/esm'), { recursive: true, force: true });
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const script = "import { createAoscClient } from '@aosc/client'; console.log(typeof createAoscClient);";
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(out).toBe('function\n');
});

test('its modules import each other and the validator, and nothing of Node', () => {
  const modules = readdirSync(join(installed, 'dist/esm'), { recursive: true, encoding: 'utf8' });
  const texts = modules
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(installed, 'dist/esm', name), 'utf8'));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from ["']([^"']+)["']/g)].map(([, name = '']) => name),
  );
  expect(imported.length).toBeGreaterThan(5);
  expect(new Set(imported.filter((name) => !name.startsWith('.')))).toEqual(
    new Set(['@cfworker/json-schema']),
  );
});

test('it holds no tests and no sources', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => /\.test\.|__tests__|^src/.test(name))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'package.json', 'dist/esm/package.json', 'dist/index.d.ts']),
  );
});

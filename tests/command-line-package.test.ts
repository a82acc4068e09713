import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(600_000);

const root = join(__dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'aosc-cli-'));
const empty = join(folder, 'empty');
let archive = '';

/** What `npm run release` makes of the command line. */
beforeAll(() => {
  mkdirSync(empty);
  execFileSync(process.execPath, [join(root, 'scripts/pack-command-line.mjs'), folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packed command in a folder where nothing of the project is, and without a registry. */
function npx(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const words = ['--yes', '--offline', '--package', join(folder, archive), 'aosc', ...args];
  const env = {
    ...process.env,
    AOSC_CONFIG: join(folder, 'none.json'),
    npm_config_cache: join(folder, 'cache'),
  };
  return new Promise((resolve) => {
    const child = execFile('npx', words, { cwd: empty, env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

test('npx of the packed command line works in an empty folder, without a registry', async () => {
  expect(await npx('--version')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
  });
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json');
    answer.end('{"migrations":[],"truncated":false,"active_count":0}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const listed = await npx('list', '--url', `http://127.0.0.1:${port}`);
    expect(listed).toMatchObject({ code: 0, out: 'no migrations\n' });
  } finally {
    server.close();
  }
  expect(readdirSync(empty)).toEqual([]);
});

test('its doctor brings the clients of both servers along', async () => {
  const { code, out, err } = await npx('doctor', '--servers-only');
  expect({ code, err }).toEqual({ code: 9, err: '' });
  expect(out).toMatch(/^fail +redis: reach +Redis does not answer/m);
});

test('it holds the licences of all that is in it, and no tests', () => {
  const names = execFileSync('tar', ['-tzf', join(folder, archive)], { encoding: 'utf8' }).split('\n');
  expect(names).toEqual(
    expect.arrayContaining(['package/main.cjs', 'package/LICENSES.txt', 'package/README.md']),
  );
  expect(names.filter((name) => /\.test\.|__tests__|\.ts$/.test(name))).toEqual([]);
  const texts = execFileSync('tar', ['-xzOf', join(folder, archive), 'package/LICENSES.txt'], {
    encoding: 'utf8',
  });
  for (const library of ['commander', 'bullmq', 'ioredis', 'undici', 'yaml']) {
    expect(texts).toMatch(new RegExp(`^${library} \\d+\\.\\d+`, 'm'));
  }
});

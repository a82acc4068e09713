import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(600_000);

const root = join(__dirname, '..');
const clone = mkdtempSync(join(tmpdir(), 'aosc-release-'));
const author = [
  ...['-c', 'user.name=Nobody', '-c', 'user.email=nobody@localhost'],
  ...['-c', 'commit.gpgsign=false', '-c', 'core.hooksPath=/dev/null'],
];

/** A hook of git sets variables that lead every git below it to its own repository. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));

const git = (...args: readonly string[]): string =>
  execFileSync('git', [...author, ...args], {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();

/** This checkout's script on the clone. */
function release(...args: readonly string[]): { readonly status: number | null; readonly told: string } {
  const entry = [join(root, 'scripts/run-test-tool.mjs'), 'scripts/release/main.ts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...entry, ...args], {
    cwd: clone,
    env,
    encoding: 'utf8',
  });
  return { status, told: stdout + stderr };
}

/** A clone with news in its changelog, whatever this checkout has there. */
beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', root, clone], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    changelog.replace('## [Unreleased]', '## [Unreleased]\n\n- News of a test.'),
  );
  git('add', '--all');
  git('commit', '--quiet', '-m', 'Add news');
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('a dry run says what a release would do, and changes nothing', () => {
  const before = git('rev-parse', 'HEAD');
  const { status, told } = release('999.0.0', '--dry-run');
  expect({ status, told }).toMatchObject({ status: 0 });
  for (const expected of [
    '-> 999.0.0, nothing is changed in this dry run',
    '  npm run lint\n  npm run test:all\n',
    '  packages/client/package.json\n',
    '  CHANGELOG.md\n',
    '  npm pack --workspace packages/client --pack-destination dist/release/999.0.0\n',
    'Would commit and tag v999.0.0',
    '- News of a test.',
  ]) {
    expect(told).toContain(expected);
  }
  expect(git('status', '--porcelain', '--ignored')).toBe('');
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(git('tag', '--list', 'v999*')).toBe('');
});

test.each([
  [['0.0.1', '--dry-run'], '0.0.1 comes before'],
  [['next', '--dry-run'], 'next is no version'],
])('%j is refused', (args, message) => {
  const { status, told } = release(...args);
  expect(status).toBe(1);
  expect(told).toContain(message);
});

test('a version that is tagged is refused, and so is a tree with changes', () => {
  git('tag', 'v998.0.0');
  expect(release('998.0.0', '--dry-run')).toMatchObject({ status: 1, told: 'v998.0.0 is tagged already\n' });
  writeFileSync(join(clone, 'new'), '');
  expect(release('999.0.0', '--dry-run')).toMatchObject({
    status: 1,
    told: 'The tree is not clean:\n?? new\n',
  });
});

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDocs, buildPage } from './build-page.mjs';
import { findMismatch } from './installed.mjs';
import { withLock } from './lock.mjs';
import { root } from './root.mjs';

const oldestNode = [20, 19];

/** Makes `node_modules` what `package-lock.json` asks for. Ends the process with one clear line when it cannot. */
export async function setUp() {
  checkNode();
  if (findMismatch(root) === undefined) return;
  await underSetUpLock(() => {
    const mismatch = findMismatch(root);
    if (mismatch === undefined) return; // another process was faster
    console.error(`Installing the packages of package-lock.json (${mismatch})`);
    runOrEnd('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], 'npm ci failed');
  });
}

/** Compiles what has changed; takes a quarter of a second when nothing has. */
export async function build() {
  await underSetUpLock(() => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    runOrEnd(process.execPath, [compiler, '-b'], 'The build failed');
    buildPage();
    buildDocs();
  });
}

/**
 * For scripts that start another program: sets up and builds what is missing or stale.
 * @param usage what is to be given, for who gives nothing
 * @returns the program's path, and its arguments
 */
export async function prepare(usage) {
  const [entry, ...args] = process.argv.slice(2);
  if (entry === undefined) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  try {
    await setUp();
    await build();
  } catch (error) {
    endWith(error);
  }
  return { path: resolve(root, entry), args };
}

/** One installation or build of this folder at a time: they write to the same files. */
function underSetUpLock(action) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return withLock(join(tmpdir(), `aosc-setup-${name}.lock`), action, () =>
    console.error('Another process is installing or building here; waiting for it'),
  );
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  console.error(`Node ${oldestNode.join('.')} or later is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

/** stdout belongs to the program that is started afterwards. */
function runOrEnd(command, args, complaint) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  const reason = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
  throw new SetUpError(`${complaint} (${reason}).`);
}

class SetUpError extends Error {}

/** Prints what is meant for people without a stack trace. */
export function endWith(error) {
  console.error(error instanceof SetUpError ? error.message : error);
  process.exit(1);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await setUp().catch(endWith);

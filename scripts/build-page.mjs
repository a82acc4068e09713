import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

const room = join(root, 'apps/dashboard');
const built = join(room, 'dist/page');
const stamp = join(room, 'dist/page.sha256');

/** Builds the page that the API serves, when what it is made from has changed. stdout belongs to others. */
export function buildPage() {
  const wanted = digest();
  if (existsSync(join(built, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted)
    return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const { status, signal, error } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: room,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    throw new Error(`The page could not be built (${error?.message ?? signal ?? `exit code ${status}`}).`);
  }
  writeFileSync(stamp, wanted);
}

/** Of everything that goes into it: sources, and the libraries by the lockfile. */
function digest() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const files = ['index.html', 'vite.config.mjs', 'package.json', ...filesIn('public'), ...filesIn('src')];
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(room, file)));
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(join(room, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(room.length + 1))
    .sort();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) buildPage();

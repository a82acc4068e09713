import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

const room = join(root, 'apps/dashboard');
const built = join(room, 'dist/page');
const stamp = join(room, 'dist/page.sha256');
const docs = { room: join(root, 'apps/docs'), stamp: join(root, 'dist/docs.sha256') };

/** Builds the page that the API serves, when what it is made from has changed. stdout belongs to others. */
export function buildPage() {
  const own = digest(room, ['index.html', 'vite.config.mjs', 'package.json', 'public', 'src']);
  const wanted = `${own} ${digest(join(root, 'packages/client'), ['src'])}`;
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

/**
 * Makes the site of the documentation, which the API serves as well. A flaw in a page stops nobody who builds: the
 * tests of the site tell it, and until then the site of before stays.
 */
export function buildDocs() {
  const wanted = digest(root, ['README.md', 'CONTRIBUTING.md', 'docs', 'apps/docs/src', 'apps/docs/assets']);
  if (existsSync(docs.stamp) && readFileSync(docs.stamp, 'utf8') === wanted) return;
  const { status } = spawnSync(process.execPath, [join(docs.room, 'dist/main.js')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) writeFileSync(docs.stamp, wanted);
}

/** Of everything that goes into it: sources, and the libraries by the lockfile. */
function digest(folder, entries) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of entries.flatMap((entry) => filesIn(folder, entry))) {
    hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex');
}

function filesIn(folder, entry) {
  const place = join(folder, entry);
  if (statSync(place).isFile()) return [entry];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile() && !found.name.endsWith('.test.ts'))
    .map((found) => relative(folder, join(found.parentPath, found.name)))
    .sort();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  buildPage();
  buildDocs();
}

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/**
 * `node scripts/run.mjs <entry.js> [arguments]`: sets up and builds what is missing or stale, then becomes the entry:
 * same process, so signals, standard streams and the exit code are the entry's own.
 */
const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs <entry.js> [arguments]');
  process.exit(2);
}
try {
  await setUp();
  await build();
} catch (error) {
  endWith(error);
}
const path = resolve(root, entry);
process.argv = [process.argv[0], path, ...args];
await import(pathToFileURL(path).href);

import { pathToFileURL } from 'node:url';
import { prepare } from './setup.mjs';

/**
 * `node scripts/run.mjs <entry.js> [arguments]`: sets up and builds what is missing or stale, then becomes the entry:
 * same process, so signals, standard streams and the exit code are the entry's own.
 */
const { path, args } = await prepare('node scripts/run.mjs <entry.js> [arguments]');
process.argv = [process.argv[0], path, ...args];
await import(pathToFileURL(path).href);

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './root.mjs';
import { prepare } from './setup.mjs';

/**
 * `node scripts/run-test-tool.mjs <entry.ts> [options]`: sets up and builds what is missing or stale, then runs a test
 * that lasts as long as it is told. It is TypeScript beside the other tests, so it is compiled on its way in.
 */
const { path, args } = await prepare('node scripts/run-test-tool.mjs <entry.ts> [options]');
const require = createRequire(import.meta.url);
require('ts-node').register({
  project: join(root, 'tsconfig.test.json'),
  compilerOptions: { rootDir: root },
  transpileOnly: true,
});
process.argv = [process.argv[0], path, ...args];
require(path);

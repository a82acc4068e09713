import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/**
 * `node scripts/run-test-tool.mjs <entry.ts> [options]`: sets up and builds what is missing or stale, then runs a test
 * that lasts as long as it is told. It is TypeScript beside the other tests, so it is compiled on its way in.
 */
const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run-test-tool.mjs <entry.ts> [options]');
  process.exit(2);
}
try {
  await setUp();
  await build();
} catch (error) {
  endWith(error);
}
const require = createRequire(import.meta.url);
require('ts-node').register({
  project: join(root, 'tsconfig.test.json'),
  compilerOptions: { rootDir: root },
  transpileOnly: true,
});
process.argv = [process.argv[0], resolve(root, entry), ...args];
require(resolve(root, entry));

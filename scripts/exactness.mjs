import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/**
 * `node scripts/exactness.mjs [options]`: sets up and builds what is missing or stale, then runs the exactness test of
 * tests/exactness for as long as it is told. It is TypeScript beside the other tests, so it is compiled on its way in.
 */
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
require('../tests/exactness/main.ts');

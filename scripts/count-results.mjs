import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * `node scripts/count-results.mjs [other failures]`: prints `N passed, N failed, N skipped` over jest's results. A test file that
 * could not run, and a project that left no results, each count as one failure; other failures (lint) are added.
 */
let passed = 0;
let skipped = 0;
let failed = Number(process.argv[2] ?? 0);
for (const project of ['unit', 'main', 'integration']) {
  const path = join(root, '.test-results', `${project}.json`);
  if (!existsSync(path)) {
    failed += 1;
    continue;
  }
  const result = JSON.parse(readFileSync(path, 'utf8'));
  passed += result.numPassedTests;
  skipped += result.numPendingTests;
  failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  if (result.numTotalTests === 0) failed += 1;
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

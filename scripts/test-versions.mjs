import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/**
 * `node scripts/test-versions.mjs [versions] [-- test files]`: runs the core of the integration tests against each
 * version of OpenSearch, one after the other, and prints a table. Versions are downloaded when they are first used.
 */
const [versions, files] = readArguments(process.argv.slice(2));
const results = join(root, '.test-results');
/** A hung server must not hold the others up. */
const limitMs = 20 * 60_000;

try {
  await setUp();
  await build();
} catch (error) {
  endWith(error);
}
mkdirSync(results, { recursive: true });
const rows = [];
for (const version of versions) {
  console.log(`\nOpenSearch ${version}: ${files.join(', ')}`);
  rows.push([version, ...(await runCore(version))]);
  console.log(rows.at(-1).join(' | '));
}
console.log(`\n${describe([['OpenSearch', ...files.map((file) => basename(file, '.test.ts'))], ...rows])}`);

function readArguments(given) {
  const split = given.indexOf('--');
  const [wanted, named] = split < 0 ? [given, []] : [given.slice(0, split), given.slice(split + 1)];
  return [
    wanted.length > 0 ? wanted : ['2.17.1', '2.19.5', '3.5.0', '3.6.0', '3.7.0', '3.8.0'],
    named.length > 0
      ? named
      : [
          'tests/modes.test.ts',
          'tests/cancel.test.ts',
          'tests/races/cutover-races.test.ts',
          'tests/races/made-of-files.test.ts',
          'tests/versions.test.ts',
        ],
  ];
}

/** @returns one cell for each file */
async function runCore(version) {
  const outputFile = join(results, `opensearch-${version}.json`);
  rmSync(outputFile, { force: true });
  const code = await runJest(version, outputFile);
  if (code !== 0) process.exitCode = 1;
  const suites = existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')).testResults : [];
  return files.map((file) => {
    const suite = suites.find(({ name }) => name.endsWith(`/${file}`));
    if (suite === undefined) return 'did not run';
    const passed = suite.assertionResults.filter(({ status }) => status === 'passed').length;
    const failed = suite.assertionResults.length - passed;
    if (suite.assertionResults.length === 0) process.exitCode = 1;
    const seconds = Math.round((suite.endTime - suite.startTime) / 1000);
    return `${passed} passed${failed > 0 ? `, ${failed} failed` : ''} (${seconds} s)`;
  });
}

function runJest(version, outputFile) {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const args = ['--json', `--outputFile=${outputFile}`, '--runInBand', '--runTestsByPath', ...files];
  const child = spawn(
    process.execPath,
    [jest, ...args, '--selectProjects', 'main', 'integration', 'thorough'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, AOSC_OPENSEARCH_VERSION: version },
    },
  );
  const timer = setTimeout(() => child.kill('SIGTERM'), limitMs);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(code ?? signal);
    });
  });
}

function describe(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = table;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

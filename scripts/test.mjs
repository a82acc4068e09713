import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/**
 * `node scripts/test.mjs [path patterns and jest options]`: sets up, builds (some tests start built processes), runs
 * the unit tests in parallel, then the integration tests, two files at a time: they wait for servers more than they
 * work. Leaves jest's results as JSON under `.test-results/`, one file for each project. `--thorough` in the first
 * place runs, instead of both, what takes too long for every change.
 */
const given = process.argv.slice(2);
const isThorough = given[0] === '--thorough';
const projects = isThorough
  ? [{ name: 'thorough', options: ['--maxWorkers=2'] }]
  : [
      { name: 'unit', options: ['--maxWorkers=100%'] },
      { name: 'integration', options: ['--maxWorkers=2'] },
    ];
if (isThorough) given.shift();

const interrupted = 130;
const results = join(root, '.test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results);
try {
  await setUp();
  await build();
} catch (error) {
  endWith(error);
}

let ran = 0;
for (const { name, options } of projects) {
  const outputFile = join(results, `${name}.json`);
  const code = await runJest([...given, ...options, '--json', `--outputFile=${outputFile}`], name);
  if (code !== 0) process.exitCode ??= 1;
  if (process.exitCode === interrupted) break;
  if (!existsSync(outputFile)) {
    console.error(`jest ended with ${code} and left no results for the ${name} tests`);
    process.exitCode = 1;
    continue;
  }
  ran += JSON.parse(readFileSync(outputFile, 'utf8')).numTotalTests;
}
if (ran === 0) {
  console.error(`No test ran${given.length > 0 ? ` for ${given.join(' ')}` : ''}`);
  process.exitCode = 1;
}

/** `--selectProjects` comes last, because it would take path patterns after it for names of projects. */
function runJest(args, project) {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [jest, ...args, '--passWithNoTests', '--selectProjects', project], {
    cwd: root,
    stdio: 'inherit',
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, forward);
  process.on('SIGINT', noteInterrupt); // the terminal has sent it to jest as well
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      for (const name of ['SIGTERM', 'SIGHUP']) process.off(name, forward);
      process.off('SIGINT', noteInterrupt);
      resolve(code ?? signal);
    });
  });
}

function noteInterrupt() {
  process.exitCode = interrupted;
}

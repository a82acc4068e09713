import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { build, endWith, setUp } from './setup.mjs';

/** What each way runs. Unit tests run in parallel; integration files two at a time: they wait for servers more than they work. */
const ways = {
  '--unit': ['unit'],
  '--main': ['unit', 'main'],
  '--rest': ['integration'],
  '--all': ['unit', 'main', 'integration'],
  '--thorough': ['thorough'],
};
const workers = { unit: '100%' };

/**
 * `node scripts/test.mjs WAY [path patterns and jest options]`: sets up, builds (some integration tests start built processes;
 * unit tests need no build), and runs the projects of the way one after the other. Leaves jest's results as JSON under
 * `.test-results/`, one file for each project.
 */
const [way, ...given] = process.argv.slice(2);
const projects = ways[way];
if (projects === undefined) {
  console.error(
    `usage: node scripts/test.mjs ${Object.keys(ways).join('|')} [path patterns and jest options]`,
  );
  process.exit(2);
}

const interrupted = 130;
const results = join(root, '.test-results');
mkdirSync(results, { recursive: true });
for (const name of projects) rmSync(join(results, `${name}.json`), { force: true });
try {
  await setUp();
  if (way !== '--unit') await build();
} catch (error) {
  endWith(error);
}

let ran = 0;
for (const name of projects) {
  const outputFile = join(results, `${name}.json`);
  const code = await runJest(
    [...given, `--maxWorkers=${workers[name] ?? 2}`, '--json', `--outputFile=${outputFile}`],
    name,
  );
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

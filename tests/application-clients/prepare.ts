import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '@aosc/local-stack';
import type { Command } from './writer-process';

const patienceMs = 15 * 60_000;
const oldestJava = 17;
/** The same as in `packages/local-stack/src/download.ts`. */
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** A client with a program that writes with it, or the reason why there is none on this machine. */
export type Client =
  { readonly name: string; readonly command: Command } | { readonly name: string; readonly missing: string };

/** A language or a library that this machine does not have, and can't have now. */
class Missing extends Error {
  override readonly name = 'Missing';
}

/**
 * Fetches what the writers need, once, into the project's cache. Synchronous, because jest wants to know which tests
 * there are before any of them runs.
 * @throws when a writer can't be compiled: that is a fault of the project, and no lack of this machine
 */
export function prepareClients(): readonly Client[] {
  return [
    prepare('opensearch-js', () => ({ file: process.execPath, args: [here('javascript/writer.mjs')] })),
    prepare('opensearch-py', preparePython),
    prepare('opensearch-java', prepareJava),
  ];
}

function prepare(name: string, findCommand: () => Command): Client {
  try {
    return { name, command: findCommand() };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return { name, missing: error.message };
  }
}

function preparePython(): Command {
  const requirements = here('python/requirements.txt');
  const version = run('python3', ['--version']);
  const folder = obtain('python', [version, readFileSync(requirements, 'utf8')], (work) => {
    run('python3', ['-m', 'venv', work]);
    const install = ['install', '--quiet', '--no-input', '--disable-pip-version-check'];
    run(join(work, 'bin/python'), ['-m', 'pip', ...install, '--requirement', requirements]);
  });
  return { file: join(folder, 'bin/python'), args: [here('python/writer.py')] };
}

function prepareJava(): Command {
  const pom = here('java/pom.xml');
  const sources = ['RetryingIngester.java', 'Writer.java'].map((name) => here(`java/src/${name}`));
  const version = run('javac', ['-version']);
  const major = Number(/^javac (\d+)/.exec(version)?.[1]);
  if (!(major >= oldestJava)) throw new Missing(`javac ${oldestJava} is needed, found: ${version}`);
  const libraries = obtain('java', [readFileSync(pom, 'utf8')], (work) => {
    const repository = `-Dmaven.repo.local=${join(work, 'repository')}`;
    const copy = [`${plugin}:copy-dependencies`, `-DoutputDirectory=${join(work, 'libraries')}`];
    run('mvn', ['-B', '-q', '-ntp', repository, '-f', pom, ...copy]);
    rmSync(join(work, 'repository'), { recursive: true });
  });
  const path = join(libraries, 'libraries/*');
  const classes = keep(
    'java-classes',
    [version, ...sources.map((file) => readFileSync(file, 'utf8'))],
    (work) => compile(['--release', String(oldestJava), '-d', work, '-cp', path, ...sources]),
  );
  return { file: 'java', args: ['-cp', `${classes}:${path}`, 'Writer'] };
}

function compile(args: readonly string[]): void {
  const { status, stderr } = spawnSync('javac', args, { encoding: 'utf8', timeout: patienceMs });
  if (status !== 0) throw new Error(`javac: ${stderr}`);
}

const here = (path: string): string => join(__dirname, path);

/** The same as {@link keep}, for what comes from elsewhere. @throws Missing when it does not */
function obtain(name: string, contents: readonly string[], make: (work: string) => void): string {
  return keep(name, contents, (work) => {
    process.stderr.write(`fetching what the writer in ${name} needs, once\n`);
    make(work);
  });
}

/** A folder of the cache, made when there is none for these contents: aside first, so that what has the name is whole. */
function keep(name: string, contents: readonly string[], make: (work: string) => void): string {
  const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(process.env), 'application-clients', `${name}-${hash}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    make(work);
    renameSync(work, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** @returns what it printed @throws Missing with the end of its complaint */
function run(file: string, args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: patienceMs });
  if (error !== undefined) throw new Missing(`${file}: ${error.message}`);
  if (status === 0) return stdout.trim();
  const complaint = (stderr.trim() || stdout.trim()).split('\n').slice(-3).join(' ');
  throw new Missing(`${[file, ...args.slice(0, 3)].join(' ')} ended with ${status}: ${complaint}`);
}

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from './find-on-path';
import { canEnter, type RunAs } from './run-as';
import { type JavaRange, parseJavaMajor } from './versions';

const run = promisify(execFile);
const versionTimeoutMs = 20_000;

export interface Jdk {
  readonly home: string;
  readonly major: number;
}

export interface JdkSearch {
  /** The first one named by a variable that fits, else the oldest that fits; undefined when none does. */
  readonly found: Jdk | undefined;
  /** Everything that was looked at, for the message when nothing fits. */
  readonly seen: readonly Jdk[];
  /** What variables name where no usable Java is, each as a sentence. */
  readonly problems: readonly string[];
}

/**
 * Looks for a Java that a server can run on: named by a variable, in the usual folders of Linux and macOS, and
 * behind `java` on the path.
 */
export async function findJdk(
  range: JavaRange,
  env: NodeJS.ProcessEnv,
  runAs: RunAs | undefined,
): Promise<JdkSearch> {
  const named = await examine(namedHomes(env), runAs);
  const installed = await examine([...installedHomes(env), ...homeOnPath(env)], runAs);
  const fits = ({ major }: Jdk) => major >= range.min && major <= range.max;
  const byAge = installed.filter(fits).sort((a, b) => a.major - b.major);
  return {
    found: named.find(fits) ?? byAge[0],
    seen: [...named, ...installed],
    problems: findProblems(env, runAs),
  };
}

const ownVariable = 'AOSC_JAVA_HOME';

/** A distribution brings the Java that it was released with, so only a user's choice goes before it. */
function namedHomes(env: NodeJS.ProcessEnv): readonly string[] {
  const openSearch = env['AOSC_OPENSEARCH_HOME'];
  return [
    env[ownVariable],
    openSearch && join(openSearch, 'jdk'),
    env['OPENSEARCH_JAVA_HOME'],
    env['JAVA_HOME'],
  ].filter((home): home is string => home !== undefined && home !== '');
}

function findProblems(env: NodeJS.ProcessEnv, runAs: RunAs | undefined): readonly string[] {
  const home = env[ownVariable];
  if (!home) return [];
  if (!existsSync(join(home, 'bin/java'))) return [`${ownVariable} is ${home}: no bin/java is there`];
  return canEnter(home, runAs) ? [] : [`${ownVariable} is ${home}: user ${runAs?.uid ?? ''} can't enter it`];
}

function installedHomes(env: NodeJS.ProcessEnv): readonly string[] {
  const user = env['HOME'] ?? homedir();
  return [
    ...below('/usr/lib/jvm'),
    ...below('/usr/lib64/jvm'),
    ...below('/usr/java'),
    ...below('/opt'),
    ...below('/opt/java'),
    ...below(join(user, '.sdkman/candidates/java')),
    ...below(join(user, '.jdks')),
    ...below('/Library/Java/JavaVirtualMachines').map((folder) => join(folder, 'Contents/Home')),
    ...below('/opt/homebrew/opt').map((folder) => join(folder, 'libexec/openjdk.jdk/Contents/Home')),
  ];
}

function below(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // absent on this platform, or closed to this user
  }
}

function homeOnPath(env: NodeJS.ProcessEnv): readonly string[] {
  const java = findOnPath('java', env);
  return java === undefined ? [] : [dirname(dirname(realpathSync(java)))];
}

async function examine(homes: readonly string[], runAs: RunAs | undefined): Promise<readonly Jdk[]> {
  const real = homes.filter((home) => existsSync(join(home, 'bin/java'))).map((home) => realpathSync(home));
  const usable = [...new Set(real)].filter((home) => canEnter(home, runAs));
  const majors = await Promise.all(usable.map(majorOf));
  return usable.flatMap((home, index) => {
    const major = majors[index];
    return major === undefined ? [] : [{ home, major }];
  });
}

async function majorOf(home: string): Promise<number | undefined> {
  const release = join(home, 'release');
  if (existsSync(release)) {
    const major = parseJavaMajor(readFileSync(release, 'utf8'));
    if (major !== undefined) return major;
  }
  try {
    const { stderr } = await run(join(home, 'bin/java'), ['-version'], { timeout: versionTimeoutMs });
    return parseJavaMajor(stderr);
  } catch {
    return undefined; // a launcher without a Java behind it, as macOS has one
  }
}

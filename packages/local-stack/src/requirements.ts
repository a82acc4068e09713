import { installWithApt } from './apt';
import { findJdk, type Jdk } from './find-jdk';
import { findOnPath } from './find-on-path';
import { type RunAs } from './run-as';
import { javaRangeFor } from './versions';

type Log = (line: string) => void;

/**
 * A Java for this version of OpenSearch; installed when it is missing and can be.
 * @throws Error with one line that says what to install
 */
export async function requireJdk(
  openSearchVersion: string,
  env: NodeJS.ProcessEnv,
  runAs: RunAs | undefined,
  log: Log,
): Promise<Jdk> {
  const range = javaRangeFor(openSearchVersion);
  const search = await findJdk(range, env, runAs);
  if (search.found !== undefined) return search.found;
  const packages = range.max === 21 ? ['17', '21'] : ['21', '25'];
  if (
    await installWithApt(
      packages.map((major) => `openjdk-${major}-jre-headless`),
      log,
    )
  ) {
    const { found } = await findJdk(range, env, runAs);
    if (found !== undefined) return found;
  }
  const wanted = range.max === 21 ? '17 to 21' : '21 or later';
  const seen = search.seen.map(({ home, major }) => `${major} in ${home}`).join(', ') || 'none';
  throw new Error(
    `OpenSearch ${openSearchVersion} needs Java ${wanted}, found: ${seen}. Install one (for example Eclipse Temurin) and set AOSC_JAVA_HOME to its folder.`,
  );
}

/**
 * The path of a command; installed when it is missing and can be.
 * @throws Error with one line that says what to install
 */
export async function requireCommand(
  command: string,
  aptPackage: string,
  env: NodeJS.ProcessEnv,
  log: Log,
): Promise<string> {
  const found = findOnPath(command, env);
  if (found !== undefined) return found;
  if (await installWithApt([aptPackage], log)) {
    const installed = findOnPath(command, env);
    if (installed !== undefined) return installed;
  }
  throw new Error(
    `${command} is not installed: install the package ${aptPackage} (or put ${command} on the PATH).`,
  );
}

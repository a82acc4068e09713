import { installWithApt } from './apt';
import { findOnPath } from './find-on-path';

type Log = (line: string) => void;

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

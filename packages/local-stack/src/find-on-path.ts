import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Daemons live here on Debian, and an ordinary user's PATH often lacks it. */
const alsoLookIn = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** The full path of a command, or undefined when it is not installed. */
export function findOnPath(command: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...alsoLookIn];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** Whether this user may run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './parse-env';

const maxBytes = 1024 * 1024;

/**
 * Reads a file that a variable names; at start only.
 * @throws ConfigError with one line that names the variable
 */
export function readTextFile(variable: string, path: string): string {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${variable} names a file that can't be read: ${reason}`]);
  }
  if (content.length === 0) throw new ConfigError([`${variable}: the file ${path} is empty`]);
  if (content.length > maxBytes) {
    throw new ConfigError([`${variable}: the file ${path} is larger than 1 MiB; is it the right one?`]);
  }
  return content.toString('utf8');
}

const readableByOthers = 0o004;

/**
 * {@link readTextFile} for a file that holds a secret. It refuses a file that every user of the machine may read. A
 * group may read it, as with the files that Kubernetes mounts. Windows has no such bits.
 * @throws ConfigError with one line that names the variable
 */
export function readSecretFile(variable: string, path: string): string {
  const text = readTextFile(variable, path);
  if (process.platform !== 'win32' && (statSync(path).mode & readableByOthers) !== 0) {
    throw new ConfigError([
      `${variable}: every user of this machine can read the file ${path}, which holds a secret: chmod o-rwx`,
    ]);
  }
  return text;
}

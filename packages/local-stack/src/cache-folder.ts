import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { canEnter, type RunAs } from './run-as';

/** Where downloads are kept between runs: `AOSC_CACHE_DIR`, else the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  if (env['AOSC_CACHE_DIR']) return resolve(env['AOSC_CACHE_DIR']);
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'aosc');
}

/** The system's cache folder: only root may write below it, and everybody may enter it. */
const sharedCache = '/var/cache/aosc';

/** The same folder as {@link unpackFolder}; makes nothing and checks nothing. */
export function chooseUnpackFolder(cache: string, runAs: RunAs | undefined): string {
  return canEnter(cache, runAs) ? cache : sharedCache;
}

/**
 * Where distributions are unpacked: the cache folder, unless the servers' user cannot enter that (root's
 * ~/.cache lies below /root, which is closed to others).
 * @throws Error when there is no folder that the user could enter and that only this user may write to
 */
export function unpackFolder(cache: string, runAs: RunAs | undefined): string {
  const folder = chooseUnpackFolder(cache, runAs);
  mkdirSync(folder, { recursive: true });
  if (runAs === undefined) return folder;
  const { mode, uid } = statSync(folder);
  if (uid === process.getuid?.()) chmodSync(folder, (mode & 0o7777) | 0o055);
  if (folder === sharedCache && (uid !== 0 || (mode & 0o022) !== 0)) {
    throw new Error(`${folder} can be changed by others than root: set AOSC_CACHE_DIR to another folder`);
  }
  if (!canEnter(folder, runAs)) {
    throw new Error(`User ${runAs.uid} cannot enter ${folder}: set AOSC_CACHE_DIR to a folder open to all`);
  }
  return folder;
}

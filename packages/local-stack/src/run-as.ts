import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The user that servers run as. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on every system that has no such line in its user table. */
const unprivileged: RunAs = { uid: 65534, gid: 65534 };

/** @returns undefined for an ordinary user; root gets another user, because OpenSearch refuses to run as root */
export function chooseRunAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const table = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
  const [, , uid, gid] = /^nobody:.*$/m.exec(table)?.[0].split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : unprivileged;
}

/**
 * Whether `user` may walk through every folder down to `path`: /root, for one, is closed to others. Of a path
 * that does not exist yet, the part that exists counts.
 */
export function canEnter(path: string, user: RunAs | undefined): boolean {
  if (user === undefined) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && !mayPass(folder, user)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function mayPass(folder: string, user: RunAs): boolean {
  const { mode, uid, gid } = statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** Writes a file that only the servers' user can read and change. @returns its path */
export function writeOwned(folder: string, name: string, content: string, owner: RunAs | undefined): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  return path;
}

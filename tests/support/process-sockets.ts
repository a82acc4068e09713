import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The sockets that a process has open, by their inodes. On Linux only. */
export async function socketsOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
  );
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** How many connections the process has to a port of this machine, as the kernel has them: connections that no code reads from, too. */
export async function countConnectionsTo(pid: number, port: number): Promise<number> {
  const own = new Set(await socketsOf(pid));
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1);
  return lines.filter((line) => {
    const columns = line.trim().split(/\s+/);
    const [remote = '', inode = ''] = [columns[2], columns[9]];
    return Number.parseInt(remote.split(':')[1] ?? '', 16) === port && own.has(inode);
  }).length;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Holds the reading end of a pipe from this process. When the pipe closes, for whatever reason (normal exit,
 * Ctrl-C, kill -9), it kills every process group that is still registered and removes the registered folders.
 * The folders go first, and again when the processes are known to be gone: where the first process of the machine
 * reaps lazily, a dead one can be seen for seconds. A shell script needs about 1 MB, starts at once, and is the same from `src` and from `dist`.
 */
const script = `
groups=
folders=
remove_folders() (
  set -f
  IFS='
'
  for folder in $folders; do rm -rf -- "$folder"; done
)
while IFS= read -r line; do
  what=\${line#* }
  case $line in
    'group '*) groups="$groups $what" ;;
    'gone '*)
      kept=
      for group in $groups; do [ "$group" = "$what" ] || kept="$kept $group"; done
      groups=$kept ;;
    'folder '*) folders="$folders$what
" ;;
  esac
done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done
remove_folders
tries=0
for group in $groups; do
  while kill -0 "-$group" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
done
remove_folders
`;

const groups = new Set<number>();
const folders = new Set<string>();
let running: ChildProcess | undefined;

/**
 * The group of `pid` dies with this process.
 * @returns once the watchdog's pipe holds the line, so that a death right after it is covered
 */
export async function guardGroup(pid: number): Promise<void> {
  groups.add(pid);
  await notifyWatchdog(`group ${pid}`);
}

/** The group has ended, and the system may soon give its number to another. */
export async function releaseGroup(pid: number): Promise<void> {
  if (groups.delete(pid)) await notifyWatchdog(`gone ${pid}`);
}

/** `folder` is removed when this process dies. */
export async function guardFolder(folder: string): Promise<void> {
  if (folder.includes('\n')) throw new Error(`A folder name with a line break cannot be guarded: ${folder}`);
  folders.add(folder);
  await notifyWatchdog(`folder ${folder}`);
}

/** The folder has been removed. */
export async function releaseFolder(folder: string): Promise<void> {
  if (folders.delete(folder)) await notifyWatchdog();
}

async function notifyWatchdog(line?: string): Promise<void> {
  if (groups.size === 0 && folders.size === 0) {
    const ending = running;
    running = undefined;
    ending?.stdin?.end();
    return;
  }
  const known = running;
  if (known === undefined) await write((running = start()), everything());
  else if (line !== undefined) await write(known, [line]);
}

function everything(): readonly string[] {
  return [...[...groups].map((pid) => `group ${pid}`), ...[...folders].map((folder) => `folder ${folder}`)];
}

/** Its own session keeps it out of reach of the terminal's Ctrl-C, its folder keeps no mount point busy. */
function start(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script, 'aosc-watchdog'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  child.stdin.on('error', () => undefined); // the write that failed informs its caller
  child.once('exit', () => {
    if (running === child) running = undefined; // it was killed: the next entry starts another one
  });
  return child;
}

function write(child: ChildProcess, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdin?.write(`${lines.join('\n')}\n`, (error) =>
      error ? reject(new Error('The watchdog of the local stack has ended', { cause: error })) : resolve(),
    );
  });
}

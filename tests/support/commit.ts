import { execFileSync } from 'node:child_process';

/**
 * The commit whose code runs, for results that are kept: its short hash, with `-dirty` when the work tree has changes.
 * Those under docs/ don't count: the results themselves are there.
 * @returns `unknown` outside of a repository
 */
export function readCommit(): string {
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain', '--', ':/', ':!/docs') === '' ? hash : `${hash}-dirty`;
  } catch {
    return 'unknown';
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: __dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
}

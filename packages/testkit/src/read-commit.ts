import { execFileSync } from 'node:child_process';

/**
 * The commit whose code runs, for results that are kept: its short hash, with `-dirty` when files of it are changed.
 * Those under docs/ and bench/results/ don't count: the results themselves are there.
 * @param folder of the checkout; default: this one
 * @returns `unknown` outside of a repository
 */
export function readCommit(folder = __dirname): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    const changes = git('status', '--porcelain', '-uno', '--', ':/', ':!/docs', ':!/bench/results');
    return changes === '' ? hash : `${hash}-dirty`;
  } catch {
    return 'unknown';
  }
}

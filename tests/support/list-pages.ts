import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Paths of all pages of the project, those that are not committed yet as well. */
export function listPages(): readonly string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.md'];
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
}

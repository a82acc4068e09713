import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where tests are. */
const folders = ['packages', 'apps', 'bench', 'docker', 'tests'];

/**
 * The file of a test that a page names, by its path or, when no other test has it, only by its name.
 * @param root of the project
 * @param name from the root, or without any folder
 * @returns its absolute path; undefined when there is none, or more than one
 */
export function findTestFile(root: string, name: string): string | undefined {
  if (name.includes('/')) return existsSync(join(root, name)) ? join(root, name) : undefined;
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path) === name && !/(^|\/)(node_modules|dist)\//.test(path))
      .map((path) => join(root, folder, path)),
  );
  return found.length === 1 ? found[0] : undefined;
}

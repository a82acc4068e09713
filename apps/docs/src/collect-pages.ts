import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { localLinksOf, type Page, parsePage } from './page';

/** The index of all pages on a forge, and the first page of the site. */
export const indexPath = 'docs/README.md';

/**
 * Every page under docs, and every page elsewhere in the project that one of them leads to.
 * @param root the project's folder
 */
export function collectPages(root: string): readonly Page[] {
  const pages = new Map<string, Page>();
  const open = pathsUnderDocs(root);
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (pages.has(path)) continue;
    const page = parsePage(path, readFileSync(join(root, path), 'utf8'));
    pages.set(path, page);
    const linked = localLinksOf(page).map(({ file }) => file);
    // A missing file has no page; `findFlaws` reports the link to it.
    open.push(...linked.filter((file) => file.endsWith('.md') && existsSync(join(root, file))));
  }
  return [...pages.values()];
}

function pathsUnderDocs(root: string): string[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.split(sep).join('/')}`)
    .sort();
}

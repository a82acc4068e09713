import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addressOf, wayBetween } from './addresses';
import { collectPages, indexPath } from './collect-pages';
import { findFlaws } from './find-flaws';
import { layOut, styleFile } from './layout';
import { makeNavigation } from './navigation';
import { localLinksOf, type Page } from './page';
import { searchFiles, toSearchData } from './search';

/** The site, or what is wrong with it. */
export interface Site {
  /** content by address */
  readonly files: ReadonlyMap<string, string>;
  /** A site with flaws is not to be read. */
  readonly flaws: readonly string[];
}

const assets = join(__dirname, '../assets');
const library = join(dirname(require.resolve('minisearch')), '../umd/index.js');

/** Makes the whole site of the documentation. @param root the project's folder */
export function makeSite(root: string): Site {
  const pages = collectPages(root);
  const first = pages.find(({ path }) => path === indexPath);
  if (first === undefined) throw new Error(`${indexPath} is missing`);
  const files = new Map<string, string>([
    [styleFile, readFileSync(join(assets, 'style.css'), 'utf8')],
    [searchFiles.program, readFileSync(join(assets, 'search.js'), 'utf8')],
    [searchFiles.library, readFileSync(library, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')],
    [searchFiles.data, toSearchData(pages)],
  ]);
  const navigation = makeNavigation(pages);
  const lost = pages.flatMap((page) => placeLinks(root, page, files));
  for (const page of pages) files.set(addressOf(page.path), layOut(page, navigation, first));
  return { files, flaws: [...lost, ...findFlaws(files)] };
}

/**
 * Turns links between files into links of the site, and copies files that are no pages. @returns links without a file
 */
function placeLinks(root: string, page: Page, files: Map<string, string>): readonly string[] {
  return localLinksOf(page).flatMap(({ file, anchor, replace }) => {
    const path = join(root, file);
    if (!existsSync(path) || !statSync(path).isFile()) return [`${page.path} leads to ${file}: no such file`];
    const address = addressOf(file);
    if (!file.endsWith('.md')) files.set(address, readFileSync(path, 'utf8'));
    const isOwn = file === page.path && anchor !== '';
    replace(isOwn ? anchor : `${wayBetween(addressOf(page.path), address)}${anchor}`);
    return [];
  });
}

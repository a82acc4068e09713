import { indexPath } from './collect-pages';
import { localLinksOf, type Page } from './page';

/** One heading of the navigation, with its pages. */
export interface Kind {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** By folder under docs. A folder that is not named here gets its own name, behind these. */
const kindsOfFolders = [
  ['tutorial', 'Tutorial'],
  ['how-to', 'How-to'],
  ['reference', 'Reference'],
  ['concepts', 'Concepts'],
  ['operations', 'Operations'],
  ['reliability', 'Reliability'],
  ['adr', 'Decisions'],
  ['limits', 'Limits and alternatives'],
] as const;

/** Pages beside the folders. A page that is not named here comes under "More". */
const foldersOfPages = new Map([
  ['docs/configuration.md', 'reference'],
  ['docs/limits.md', 'limits'],
  ['docs/comparison.md', 'limits'],
]);

const beside = 'More';
const outside = 'The project';

/** All pages but the first, by kind, in the order of the index; pages that it leaves out come last. */
export function makeNavigation(pages: readonly Page[]): readonly Kind[] {
  const order = orderOfIndex(pages);
  const place = ({ path }: Page): number => order.get(path) ?? Number.POSITIVE_INFINITY;
  const sorted = pages
    .filter(({ path }) => path !== indexPath)
    .sort((a, b) => {
      const [first, second] = [place(a), place(b)];
      return first === second ? a.path.localeCompare(b.path, 'en') : first - second;
    });
  const byKind = new Map<string, Page[]>();
  for (const page of sorted) {
    const kind = kindOf(page.path);
    byKind.set(kind, [...(byKind.get(kind) ?? []), page]);
  }
  const known: readonly string[] = kindsOfFolders.map(([, title]) => title);
  const others = [...byKind.keys()].filter((title) => !known.includes(title) && title !== outside).sort();
  return [...known, ...others, outside].flatMap((title) => {
    const ofKind = byKind.get(title);
    return ofKind === undefined ? [] : [{ title, pages: ofKind }];
  });
}

function kindOf(path: string): string {
  if (!path.startsWith('docs/')) return outside;
  const [, folder = '', inside] = path.split('/');
  const name = inside === undefined ? foldersOfPages.get(path) : folder;
  if (name === undefined) return beside;
  const known = kindsOfFolders.find(([each]) => each === name)?.[1];
  return known ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}

/** Where the index names a page; the index of a folder continues at its own place. */
function orderOfIndex(pages: readonly Page[]): ReadonlyMap<string, number> {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const linkedFrom = (path: string): readonly string[] => {
    const page = byPath.get(path);
    return page === undefined ? [] : localLinksOf(page).map(({ file }) => file);
  };
  const named = linkedFrom(indexPath).flatMap((path) =>
    path.startsWith('docs/') && path.endsWith('/README.md') ? [path, ...linkedFrom(path)] : [path],
  );
  return new Map([...new Set(named)].map((path, at) => [path, at]));
}

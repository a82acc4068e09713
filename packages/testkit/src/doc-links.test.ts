import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const root = join(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files below a folder of the project, by their paths from its root. */
function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(ending) && !/(^|\/)(node_modules|dist)\//.test(path));
}

/** The README of each package and app that has one. */
const roomPages = ['packages', 'apps']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`))
  .filter((path) => existsSync(join(root, path)));

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docker/README.md',
  'bench/README.md',
  ...roomPages,
  ...filesIn('deploy', '.md'),
  ...filesIn('docs', '.md'),
];

const withoutCode = (page: string): string => page.replace(/^```.*?^```/gms, '');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Map<string, number>();
  const names = [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\]\([^()]*\)/g, '').replaceAll('`', '');
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = anchors.get(slug) ?? 0;
    anchors.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(names);
}

const isFolderIndex = (path: string): boolean => /^docs\/\w+\/README\.md$/.test(path);

/** Targets of the links of a page, those to other sites left out. */
function linksOf(page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined || statSync(join(root, file)).isDirectory()) return anchor === undefined;
  return anchorsOf(read(file)).has(anchor);
}

test.each(pages)('every link and anchor of %s leads somewhere', (path) => {
  expect(linksOf(read(path)).filter((target) => !leadsSomewhere(path, target))).toEqual([]);
});

/** The pages that a page links to, by their paths from the root. */
const pagesLinkedFrom = (path: string): readonly string[] =>
  linksOf(read(path)).map((target) => join(dirname(path), target.replace(/#.*/, '')));

test('every page under docs is in the index, or in that of its folder', () => {
  const indices = ['docs/README.md', ...pagesLinkedFrom('docs/README.md').filter(isFolderIndex)];
  const listed = new Set(indices.flatMap(pagesLinkedFrom));
  const missing = filesIn('docs', '.md').filter((path) => path !== 'docs/README.md' && !listed.has(path));
  expect(missing).toEqual([]);
});

test('every page under docs says which question it answers', () => {
  const silent = filesIn('docs', '.md').filter((path) => {
    const [, first = ''] = read(path).split('\n\n');
    return !/^This (page|record) answers: [^?]+\?/.test(first);
  });
  expect(silent).toEqual([]);
});

test('every page that code, messages and pages name exists', () => {
  const sources = ['packages', 'apps', 'tests', 'bench', 'docker', 'deploy', 'scripts'].flatMap((folder) =>
    ['.ts', '.mjs', '.cjs', '.yml', '.yaml', '.tpl'].flatMap((ending) => filesIn(folder, ending)),
  );
  const named = [...sources, ...pages].flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
});

test('every source file that docs/concepts/architecture.md names by its name alone exists', () => {
  const sources = new Set(filesIn('packages', '.ts').map((path) => basename(path)));
  const named = [...read('docs/concepts/architecture.md').matchAll(/`([\w-]+\.ts)`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !sources.has(name))).toEqual([]);
});

test('every file that the glossary of the engine names exists', () => {
  const named = [...read('packages/engine/GLOSSARY.md').matchAll(/`((?:[\w-]+\/)+[\w-]+(?:\.ts)?)`/g)].map(
    ([, path = '']) =>
      /^(?:domain|store)\//.test(path) ? `packages/${path}` : `packages/engine/src/${path}`,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

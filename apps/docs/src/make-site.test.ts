import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { addressOf } from './addresses';
import { makeSite } from './make-site';
import { searchFiles } from './search';

const root = join(__dirname, '../../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aosc-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A project with these files under its docs, besides a first page. */
function make(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries({ 'README.md': '# First page\n', ...files })) {
    const path = join(folder, 'docs', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return makeSite(folder);
}

/** The navigation of the first page: [heading, its links]. */
function navigationOf(files: ReadonlyMap<string, string>): readonly (readonly [string, readonly string[]])[] {
  const [, nav = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(files.get('index.html') ?? '') ?? [];
  return nav
    .split('<h2>')
    .slice(1)
    .map((part) => [
      part.slice(0, part.indexOf('<')),
      [...part.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => to),
    ]);
}

describe("the project's own documentation", () => {
  const { files, flaws } = makeSite(root);
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );

  test('has no dead link, and loads nothing from elsewhere', () => {
    expect(flaws).toEqual([]);
  });

  test('has every page under docs in the navigation, once', () => {
    expect(pages.length).toBeGreaterThan(40);
    const listed = navigationOf(files).flatMap(([, links]) => links);
    const wanted = pages
      .map((name) => addressOf(`docs/${name}`))
      .filter((address) => address !== 'index.html');
    expect(wanted.filter((address) => !listed.includes(address))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((address) => !files.has(address))).toEqual([]);
  });

  test('is parted by kind, with no page left over', () => {
    const kinds = navigationOf(files).map(([title]) => title);
    expect(kinds).toEqual([
      'Tutorial',
      'How-to',
      'Reference',
      'Concepts',
      'Operations',
      'Reliability',
      'Decisions',
      'Limits and alternatives',
      'The project',
    ]);
  });

  test('is found by its words', () => {
    const found: unknown = runInNewContext(`
      ${files.get(searchFiles.library) ?? ''};
      ${files.get(searchFiles.data) ?? ''};
      const index = new MiniSearch({ fields: ['heading', 'title', 'text'], storeFields: ['address'] });
      index.addAll(aoscSections.map((section, id) => ({ id, ...section })));
      index.search('commit token', { combineWith: 'AND' }).map(({ address }) => address).join();
    `);
    expect(String(found).split(',')).toContain('concepts/how-it-stays-exact.html#the-commit-token');
  });
});

test('a page that the index forgets, and one in an unplanned folder, are in the navigation', () => {
  const { files, flaws } = make({
    'how-to/forgotten.md': '# Forgotten\n',
    'by-hand/new.md': '# New\n',
    'lonely.md': '# Lonely\n',
  });
  expect(flaws).toEqual([]);
  expect(navigationOf(files)).toEqual([
    ['How-to', ['how-to/forgotten.html']],
    ['By hand', ['by-hand/new.html']],
    ['More', ['lonely.html']],
  ]);
});

test('links between files lead to pages of the site, and to copies of what is no page', () => {
  const { files, flaws } = make({
    'how-to/a.md':
      '# A\n\n[b](../b/README.md#some-words-1) [log](log.jsonl) [here](#a) [tool](../../tool/README.md)\n',
    'b/README.md': '# B\n\n## Some words\n\n## Some words\n',
    'how-to/log.jsonl': '{}\n',
    '../tool/README.md': '# Tool\n',
  });
  expect(flaws).toEqual([]);
  const page = files.get('how-to/a.html');
  expect(page).toContain('<a href="../b/index.html#some-words-1">b</a>');
  expect(page).toContain('<a href="log.jsonl.txt">log</a>');
  expect(page).toContain('<a href="#a">here</a>');
  expect(page).toContain('<a href="../project/tool/index.html">tool</a>');
  expect(files.get('how-to/log.jsonl.txt')).toBe('{}\n');
});

test('a link to a file that is not there, and one to a heading that is not there, are flaws', () => {
  const { flaws } = make({ 'a.md': '# A\n\n[x](gone.md) [y](README.md#nothing)\n' });
  expect(flaws).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^docs.a\.md leads to docs.gone\.md: no such file$/),
      'a.html leads to index.html#nothing: that page has no such heading',
    ]),
  );
});

test('a picture of another host is a flaw, a link to one is none', () => {
  const { flaws } = make({ 'a.md': '# A\n\n[x](https://a.example/) ![y](https://b.example/z.png)\n' });
  expect(flaws).toEqual(['a.html loads https://b.example/z.png from another host']);
});

test.each([
  { what: 'HTML', text: '# A\n\nwords <b>more</b>\n', complaint: 'a.md has HTML: <b>' },
  { what: 'no title', text: 'words\n', complaint: 'a.md has no title' },
])('a page with $what is refused', ({ text, complaint }) => {
  expect(() => make({ 'a.md': text })).toThrow(complaint);
});

test('a comment is no HTML, and no reader sees it', () => {
  const { files } = make({ 'a.md': '# A\n\n<!-- made by a tool -->\n\nwords\n' });
  expect(files.get('a.html')).not.toContain('made by a tool');
});

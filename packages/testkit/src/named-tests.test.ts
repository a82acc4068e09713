import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** What a page names as `file.test.ts`: "title", "title". */
function namedTests(page: string): readonly NamedTest[] {
  const groups = page.matchAll(/`([\w./-]+\.test\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g);
  return [...groups].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

describe.each([
  'docs/reliability/correctness.md',
  'docs/concepts/how-it-stays-exact.md',
  'docs/concepts/stale-answers.md',
])('%s', (path) => {
  const page = read(path);
  const tests = namedTests(page);

  test('names tests, and each file with one of their titles', () => {
    expect(tests.length).toBeGreaterThan(15);
    // of patterns like `tests/*.test.ts` there is none to look for
    const files = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file);
    expect(new Set(tests.map(({ file }) => file))).toEqual(new Set(files));
  });

  test('every named test is there', () => {
    const missing = tests.filter(
      ({ file, title }) =>
        !existsSync(join(root, file)) || !read(file).replaceAll("\\'", "'").includes(title),
    );
    expect(missing).toEqual([]);
  });
});

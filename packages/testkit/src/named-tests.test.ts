import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTestFile } from './find-test-file';

const root = join(__dirname, '../../..');

interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** What a page names as `file.test.ts`: "title", "title", over several lines if need be. */
function namedTests(page: string): readonly NamedTest[] {
  const groups = page.matchAll(/`([\w./-]+\.test\.ts)`:\s+("[^"]+"(?:,\s+"[^"]+")*)/g);
  return [...groups].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

const hasTitle = ({ file, title }: NamedTest): boolean => {
  const path = findTestFile(root, file);
  return path !== undefined && readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title);
};

describe.each([
  { path: 'docs/reliability/correctness.md', min: 150 },
  { path: 'docs/reliability/stale-answers.md', min: 15 },
  { path: 'docs/concepts/threat-model.md', min: 30 },
  { path: 'docs/limits.md', min: 1 },
])('$path', ({ path, min }) => {
  const page = readFileSync(join(root, path), 'utf8');
  const tests = namedTests(page);

  test('names tests, and each file with one of their titles', () => {
    expect(tests.length).toBeGreaterThanOrEqual(min);
    // of patterns like `tests/*.test.ts` there is none to look for
    const files = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file);
    expect(new Set(tests.map(({ file }) => file))).toEqual(new Set(files));
  });

  test('every named test is there', () => {
    expect(tests.filter((named) => !hasTitle(named))).toEqual([]);
  });
});

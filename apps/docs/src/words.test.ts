import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const folders = ['docs/tutorial', 'docs/how-to', 'docs/operations'];
/** What a user or an operator reads; reference, concepts and reliability are for those who look something up. */
const pages = [
  'README.md',
  ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
];
const mostWords = 20_000;
/** Turns that native speakers stumble over. */
const habits =
  /\bmend(?:s|ed|ing)?\b|\b(?:nobody|somebody|anybody|whoever)\b|\b(?:one|none) that\b|\bgoe?s? on by (?:itself|themselves)\b|\bgives? \w+ back\b|\bso many words\b/gi;

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

test('the pages for users are short enough to be read', () => {
  const words = pages.flatMap((page) =>
    read(page)
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
  expect(words.length).toBeLessThanOrEqual(mostWords);
});

test.each([
  ...pages,
  'docs/README.md',
  'docs/limits.md',
  'docs/reference/command-line.md',
  'packages/client/README.md',
])('%s has no turn that readers stumble over', (page) => {
  // Code quotes what programs print.
  const text = read(page).replaceAll(/```.*?```|`[^`\n]*`/gs, '');
  expect(text.match(habits) ?? []).toEqual([]);
});

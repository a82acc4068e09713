import { allRows } from './rows';
import { readCoveragePage, readTestFile } from './support/coverage-page';

const lines = readCoveragePage();

test('every id of the page is there once', () => {
  const ids = lines.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test('every line has a row, or a test elsewhere that shows it', () => {
  const bare = lines.filter(({ id, elsewhere }) => elsewhere === undefined && !Object.hasOwn(allRows, id));
  expect(bare.map(({ id }) => id)).toEqual([]);
});

test('every row is on the page', () => {
  const listed = new Set(lines.map(({ id }) => id));
  expect(Object.keys(allRows).filter((id) => !listed.has(id))).toEqual([]);
});

const elsewhere = lines.flatMap((line) =>
  line.elsewhere === undefined ? [] : [{ ...line.elsewhere, ...line }],
);

test.each(elsewhere)('$id: $file has the test', ({ file, title }) => {
  // A quote in a title is escaped in its source, or not, as its quotes are.
  const source = readTestFile(file).replaceAll("\\'", "'");
  expect(source.includes(title)).toBe(true);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderReference } from './__tests__/reference';
import { variables } from './variables';

const page = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8');
const rowsOfPage = page.split('\n').filter((line) => line.startsWith('| `AOSC_'));

/** Formatting pads table cells; what counts is their text. */
const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());

test('the page lists every variable with its default, bounds, readers and meaning', () => {
  expect(rowsOfPage.map(cells)).toEqual(renderReference().map(({ line }) => cells(line)));
});

test('every AOSC_ name the page mentions exists', () => {
  const known = renderReference().map(({ name }) => name);
  const mentioned = page.match(/AOSC_[A-Z_]*[A-Z]/g) ?? [];
  expect(mentioned.filter((name) => !known.includes(name))).toEqual([]);
});

test('every default is valid, and every name is used once', () => {
  const all = Object.values(variables);
  for (const { name, fallback, type } of all)
    expect([name, type.parse(fallback)]).toEqual([name, { value: expect.anything() as unknown }]);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

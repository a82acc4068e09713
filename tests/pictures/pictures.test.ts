import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, maxPictureBytes, pictures, themes, withoutPicture } from './manifest';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = pictures.flatMap(({ name }) => themes.map((theme) => fileOf(name, theme)));

test.each(pictures)('$name shows a page that the router has', ({ route }) => {
  const routes = [...read('apps/dashboard/src/app.tsx').matchAll(/<Route path="([^"]+)"/g)];
  expect(routes.map(([, path]) => path)).toContain(route);
});

test('every page of the router has a picture', () => {
  const routes = [...read('apps/dashboard/src/app.tsx').matchAll(/<Route path="([^"*]+)"/g)];
  const shown = new Set<string | undefined>([...pictures.map(({ route }) => route), ...withoutPicture]);
  expect(routes.map(([, path]) => path).filter((path) => !shown.has(path))).toEqual([]);
});

test('docs/images has the pictures, each small enough, and nothing else of the page', () => {
  const folder = join(root, 'docs/images');
  expect(readdirSync(folder).sort()).toEqual([...files].sort());
  const large = files.filter((file) => statSync(join(folder, file)).size > maxPictureBytes);
  expect(large).toEqual([]);
});

test.each(files)('%s is a PNG of 1,280 pixels', (file) => {
  const bytes = readFileSync(join(root, 'docs/images', file));
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  expect(bytes.readUInt32BE(16)).toBe(1_280);
});

test('docs/how-to/use-the-page.md shows all of them, and README.md shows some', () => {
  const page = read('docs/how-to/use-the-page.md');
  expect(files.filter((file) => !page.includes(`../images/${file}`))).toEqual([]);
  const shown = [...read('README.md').matchAll(/docs\/images\/([\w-]+\.png)/g)].map(([, file]) => file);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((file) => !files.some((one) => one === file))).toEqual([]);
});

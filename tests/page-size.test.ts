import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';

/** As `npm run build` leaves it, and the API serves it. */
const built = join(__dirname, '../apps/dashboard/dist/page');
const read = (path: string): Buffer => readFileSync(join(built, path));
/** What the first view may ask for, compressed as the API does it. */
const maxScriptBytes = 250_000;

/** The scripts that the browser must have before it can draw the first view: those of index.html, and their imports. */
function firstScripts(): ReadonlySet<string> {
  const html = read('index.html').toString('utf8');
  const waiting = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].flatMap(
    ([, path]) => path ?? [],
  );
  const found = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const imports = read(path)
      .toString('utf8')
      .matchAll(/(?:\bfrom|\bimport)\s?["'](\.[^"']+\.js)["']/g);
    const folder = dirname(path);
    waiting.push(...[...imports].flatMap(([, next]) => (next === undefined ? [] : posix.join(folder, next))));
  }
  return found;
}

test('the script of the first view is small enough, and the other views are not in it', () => {
  const scripts = [...firstScripts()];
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(read(path), { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(maxScriptBytes);
  expect(scripts.filter((path) => /migration-view|start-view|settings-view/.test(path))).toEqual([]);
});

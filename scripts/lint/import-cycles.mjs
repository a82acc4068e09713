import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * `node scripts/lint/import-cycles.mjs`: fails when files import each other in a circle. Imports of types count: two
 * files that need each other's types can't be understood one after the other either, and the next value that one of
 * them takes along is a circle at run time. knip sees only those of values.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const patterns = [
  ...['packages/*/src', 'apps/*/src', 'bench/src', 'tests', 'docker'].map((room) => `${room}/**/*.ts`),
  ...['scripts', 'docker'].map((room) => `${room}/**/*.mjs`),
];
const options = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.test.json'), (path) => ts.sys.readFile(path)).config,
  ts.sys,
  root,
).options;
const files = ts.sys.readDirectory(root, ['.ts', '.mjs'], ['**/node_modules', '**/dist'], patterns);
const cache = ts.createModuleResolutionCache(root, (name) => name, options);

const imports = new Map(
  files.map((file) => {
    const found = ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles;
    const resolved = found
      .filter(({ fileName }) => fileName.startsWith('.') || fileName.startsWith('@aosc/'))
      .map(({ fileName }) => ts.resolveModuleName(fileName, file, options, ts.sys, cache).resolvedModule)
      .map((module) => module?.resolvedFileName);
    return [file, resolved.filter((path) => files.includes(path))];
  }),
);

/** Goes down along imports; a file that is met on the way down again closes a circle. */
const done = new Set();
const way = [];
const circles = [];
function visit(file) {
  const at = way.indexOf(file);
  if (at !== -1) circles.push([...way.slice(at), file]);
  if (at !== -1 || done.has(file)) return;
  way.push(file);
  for (const next of imports.get(file)) visit(next);
  way.pop();
  done.add(file);
}
for (const file of files) visit(file);

for (const circle of circles) {
  console.error(`imported in a circle: ${circle.map((file) => relative(root, file)).join('\n  -> ')}`);
}
process.exitCode = circles.length === 0 ? 0 : 1;

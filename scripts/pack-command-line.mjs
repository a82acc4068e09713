import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'vite';
import { root } from './root.mjs';

/**
 * Packs the command line as a package that stands alone: the project's own packages are not in any registry, so all code
 * that it needs goes into it, and no installation can bring another version of a library along.
 * usage: node scripts/pack-command-line.mjs FOLDER
 */
const room = join(root, 'apps/cli');
const staged = join(room, 'dist/package');

const destination = resolve(process.argv[2] ?? '.');
rmSync(staged, { recursive: true, force: true });
mkdirSync(destination, { recursive: true });
const modules = await bundle();
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
writeFileSync(join(staged, 'LICENSES.txt'), licencesOf(modules));
copyFileSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
copyFileSync(join(root, 'docs/reference/command-line.md'), join(staged, 'README.md'));
const { status } = spawnSync('npm', ['pack', '--silent', '--pack-destination', destination, staged], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** @returns the modules that are in it */
async function bundle() {
  const { output } = await build({
    root: room,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: [{ find: /^@aosc\/([a-z-]+)$/, replacement: join(root, 'packages/$1/src/index.ts') }] },
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(room, 'src/main.ts'),
      outDir: staged,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { format: 'cjs', entryFileNames: 'main.cjs', chunkFileNames: '[name].cjs' } },
    },
  });
  return output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : []));
}

function manifest() {
  const { name, version, description, license } = readJson(join(room, 'package.json'));
  const { engines } = readJson(join(root, 'package.json'));
  return { name, version, description, license, engines, bin: { aosc: 'main.cjs' } };
}

/** Their licences ask for their texts wherever the code goes. */
function licencesOf(ids) {
  const folders = new Set(ids.map(packageOf).filter((folder) => folder !== undefined));
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = readJson(join(folder, 'package.json'));
      const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice)/i.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8').trim());
      return [`${name} ${version} (${license})`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** The folder of a library's package; undefined: the module is the project's own, or none of a file */
function packageOf(id) {
  if (!id.includes('/node_modules/')) return undefined;
  let folder = dirname(id.split('?')[0].replaceAll('\0', ''));
  while (
    !existsSync(join(folder, 'package.json')) ||
    readJson(join(folder, 'package.json')).name === undefined
  ) {
    folder = dirname(folder);
    if (relative(root, folder).startsWith('..')) return undefined;
  }
  return folder;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

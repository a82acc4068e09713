import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * `npm run licences [-- --production]`: every dependency that package-lock.json names, with its version and licence, and
 * what is known against it. Ends with 1 when a licence is missing or one that nobody has looked at, or when a
 * vulnerability is known. Where the advisory service can't be reached it says so, and says nothing about them.
 */
const usage = 'usage: npm run licences [-- --production]';
/** Those that let the project stay what it is, whatever it is linked with. */
const permitted = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

function readDependencies() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version,
      licence: licenceOf(path, entry),
      use: entry.dev ? 'development' : entry.optional ? 'optional' : 'production',
    }))
    .sort((a, b) => (a.name === b.name ? compare(a.version, b.version) : compare(a.name, b.name)));
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** As the lock file has it, or else the package itself. */
function licenceOf(path, { license }) {
  if (typeof license === 'string') return license;
  const manifest = join(root, path, 'package.json');
  if (!existsSync(manifest)) return 'none';
  const { license: given, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
  const named = given ?? licenses?.[0];
  return (typeof named === 'string' ? named : named?.type) ?? 'none';
}

/** One of several by choice (`(MIT OR GPL-3.0)`) is enough, of several together all must be permitted. */
function isPermitted(licence) {
  return licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => permitted.has(one.trim())));
}

/** @returns the known vulnerabilities, or why nobody could be asked */
function readVulnerabilities(onlyProduction) {
  const args = ['audit', '--json', ...(onlyProduction ? ['--omit=dev'] : [])];
  const { stdout, stderr, error } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  try {
    const { vulnerabilities, message, error: refused } = JSON.parse(stdout);
    if (vulnerabilities !== undefined) return { known: Object.values(vulnerabilities) };
    return { unreachable: message ?? refused?.summary ?? 'an answer of another kind' };
  } catch {
    return { unreachable: error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no answer' };
  }
}

function main(args) {
  const onlyProduction = args[0] === '--production';
  if (args.length > (onlyProduction ? 1 : 0)) {
    console.error(usage);
    return 2;
  }
  const dependencies = readDependencies().filter(({ use }) => !onlyProduction || use !== 'development');
  for (const { name, version, licence, use } of dependencies) {
    console.log([name, version, licence, use].join('\t'));
  }
  const doubtful = dependencies.filter(({ licence }) => !isPermitted(licence));
  for (const { name, version, licence } of doubtful) {
    console.error(`look at the licence of ${name} ${version}: ${licence}`);
  }
  const { known = [], unreachable } = readVulnerabilities(onlyProduction);
  for (const { name, severity, range } of known) console.error(`vulnerable: ${name} ${range} (${severity})`);
  console.error(`${dependencies.length} dependencies, ${doubtful.length} licence(s) to look at`);
  console.error(
    unreachable === undefined
      ? `${known.length} known vulnerabilities`
      : `known vulnerabilities: NOT CHECKED, the advisory service can't be reached: ${unreachable}`,
  );
  return doubtful.length + known.length > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));

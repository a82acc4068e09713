import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * `node docker/sbom.mjs [file]`: what the image holds of npm's packages, as CycloneDX 1.5 (default: stdout). It is read from
 * package-lock.json alone, so that the same lock file gives the same bytes: no clock, no random number. `npm sbom` leaves out
 * packages that the tests use as well, and has no word for those that are bundled into the page.
 */
const processes = ['apps/api', 'apps/worker', 'apps/scheduler'];
const page = 'apps/dashboard';
/** The page's packages are bundled, so its manifest has them beside the tools that bundle them. */
const pageTool = /^(@types\/|@vitejs\/|vite$)/;

const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { name, version, packages } = JSON.parse(lock);
const compare = (a, b) => (a < b ? -1 : Number(a > b));

/** @returns where Node finds a package from the folder of another, or undefined when the lock file has none */
function resolve(from, wanted) {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder === '.' ? '' : folder, 'node_modules', wanted);
    const entry = packages[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (folder === '.') return undefined;
  }
}

/** Names of the packages that one asks for in the image. */
function wantedBy(path) {
  const entry = packages[path];
  if (path === page) return Object.keys(entry.devDependencies).filter((wanted) => !pageTool.test(wanted));
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (wanted) => entry.peerDependenciesMeta?.[wanted]?.optional !== true,
  );
  return [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers];
}

const edges = new Map([...processes, page].map((path) => [path, []]));
for (const [path, found] of edges) {
  for (const wanted of wantedBy(path)) {
    const next = resolve(path, wanted);
    if (next === undefined) continue;
    found.push(next);
    if (!edges.has(next)) edges.set(next, []);
  }
}

const nameOf = (path) =>
  packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const refOf = (path) => `${nameOf(path)}@${packages[path].version}`;

function describe(path) {
  const { version: its, license, integrity, optional } = packages[path];
  const [algorithm = '', digest = ''] = (integrity ?? '').split('-');
  const isExpression = /[ ()]/.test(license ?? '');
  return {
    type: 'library',
    'bom-ref': refOf(path),
    name: nameOf(path),
    version: its,
    scope: optional ? 'optional' : 'required',
    purl: `pkg:npm/${nameOf(path).replace('@', '%40')}@${its}`,
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(license !== undefined && {
      licenses: [isExpression ? { expression: license } : { license: { id: license } }],
    }),
  };
}

/** The form of a UUID of version 8: made by a rule of one's own. */
function serialOf(text) {
  const hash = createHash('sha256').update(text).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${parts.join('-')}-${hash.slice(20, 32)}`;
}

/** The same version in several folders is one package. */
function compose() {
  const byRef = new Map();
  for (const [path, next] of edges) {
    const ref = refOf(path);
    const known = byRef.get(ref);
    byRef.set(ref, {
      component: describe(path),
      dependsOn: [...(known?.dependsOn ?? []), ...next.map(refOf)],
    });
  }
  const sorted = [...byRef].toSorted(([a], [b]) => compare(a, b));
  const self = `${name}@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: serialOf(lock),
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        licenses: [{ license: { id: packages[''].license } }],
      },
    },
    components: sorted.map(([, { component }]) => component),
    dependencies: [
      { ref: self, dependsOn: [...processes, page].map(refOf).toSorted(compare) },
      ...sorted.map(([ref, { dependsOn }]) => ({
        ref,
        dependsOn: [...new Set(dependsOn)].toSorted(compare),
      })),
    ],
  };
}

const [target, ...more] = process.argv.slice(2);
if (more.length > 0) {
  console.error('usage: node docker/sbom.mjs [file]');
  process.exit(2);
}
const text = `${JSON.stringify(compose(), null, 2)}\n`;
if (target === undefined) process.stdout.write(text);
else writeFileSync(target, text);

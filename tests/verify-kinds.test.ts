import type { LoadedDocument } from '@aosc/testkit';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean } from './support/expectations';
import { heldCutover, openCutover } from './support/held-cutover';
import { removeIndices, runMigration, type Scenario } from './support/scenario';
import { beginVerification, endOfVerification, verify } from './support/verify';

jest.setTimeout(600_000);

const nothing = { missing: 0, extra: 0, version: 0, routing: 0, source: 0 };
/** A verification goes on after the end of the migration. */
const leftoversWithinMs = 120_000;
const exact = { state: 'done', differences: { counts: nothing, samples: [] } };

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const names = ['/', 'a b', '"quoted"', '\\', 'é/🦜', '%2F?#', '__proto__', '-', '3:abc', 'x'.repeat(512)];

/** Sources whose values a parser could lose, under ids and routings that a request could misread. */
const odd: readonly LoadedDocument[] = names.flatMap((name, n) => [
  {
    id: name,
    source: `{ "key" : "${n}",  "revision":1, "tags":[{"name":"a"},{"name":"b"}], "__proto__":{"n":1.0} }`,
  },
  {
    id: `routed-${n}`,
    routing: name,
    source: `{"key":"\\u00e9 \\" \\\\","title":null,"tags":[],"toString":-1.50e+3,"1":true,"0":[1.0,[2]]}`,
  },
]);

/** What no script can take. */
const large: LoadedDocument = { id: 'large', source: '{"big":12345678901234567890}' };

const mappings = {
  dynamic: false,
  properties: {
    key: { type: 'keyword' },
    revision: { type: 'long' },
    tags: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
};
const settings = { 'index.refresh_interval': '-1' };

const scenarios: readonly (Partial<Scenario> & { readonly kind: string })[] = [
  { kind: 'split', options: { verify: 'content' } },
  {
    kind: 'bulk',
    source: { shards: 3 },
    target: { shards: 2, replicas: 1 },
    options: { verify: 'content', accept_data_loss_if_custom_routing_is_used: true },
  },
  {
    kind: 'script',
    transform: {
      script: { type: 'inline', source: 'ctx._source.moved = true' },
      expected: ({ source, ...rest }) => ({ ...rest, source: { ...source, moved: true } }),
    },
  },
];

test.each(scenarios)(
  'finds nothing in an exact copy of odd documents, and none of a cutover in its midst: $kind',
  async ({ kind, source: sourceSide, target: targetSide, ...rest }) => {
    const { http } = environment;
    const result = await runMigration(
      environment,
      {
        ...heldCutover,
        ...rest,
        leftoversWithinMs,
        name: `verify-odd-${kind}`,
        source: { ...(sourceSide ?? heldCutover.source), mappings, settings },
        target: { ...(targetSide ?? heldCutover.target), mappings, settings },
        documents: 5000,
        furtherDocuments: rest.transform === undefined ? [...odd, large] : odd,
      },
      async (migration) => {
        const { source } = migration;
        const send = async (method: 'PUT' | 'DELETE', id: string, query: string) => {
          const body = '{"key":"external","tags":[{"name":"c"}]}';
          const path = `/${source}/_doc/${id}?${query}`;
          const { status } = await http.send({ method, path, ...(method === 'PUT' && { body }) });
          expect(status).toBeLessThan(300);
        };
        await send('PUT', 'external', 'version=9000000000000000000&version_type=external');
        await send('PUT', 'again', 'version=9000&version_type=external');
        await migration.waitFor('convergence', ({ phase }) => phase === 'PREPARING_TARGET');
        await send('DELETE', 'again', 'version=9001&version_type=external');
        await send('PUT', 'again', 'version=9007199254740993&version_type=external_gte');
        expect(await verify(environment, source)).toMatchObject(exact);
        await beginVerification(environment, source);
        await openCutover(environment, migration);
      },
    );
    expectClean(result);
    const { source } = result.migration;
    expect(await endOfVerification(environment, source)).toMatchObject(exact);
    expect(await verify(environment, source)).toMatchObject(exact);
    await removeIndices(environment, result.migration);
  },
);

import { createParser } from '@aosc/contract';
import { callJson, createSourceIndex, createTargetIndex, deleteIndices, sendChecked } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment } from './support/environment';
import { expectClean } from './support/expectations';
import { refusedField, refusingMapping, takingMapping } from './support/refused-mapping';
import { removeIndices, runMigration } from './support/scenario';
import {
  putRole,
  readDocumentedRole,
  readPlanPermission,
  readSetAsidePermission,
  type Role,
  serviceUser,
} from './support/secured-cluster';

jest.setTimeout(600_000);

/** Indices of the service that only some options need: what their pages ask for is enough, and each of it is needed. */
let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ secured: true });
});
afterAll(() => environment.stop());

type Permission = Role['index_permissions'][number];
const role = readDocumentedRole();
const allow = (...permissions: readonly Permission[]) =>
  putRole(environment.http, serviceUser.name, {
    ...role,
    index_permissions: [...role.index_permissions, ...permissions],
  });

/** One permission for each action that it leaves out. */
const withoutEach = (permission: Permission) =>
  permission.allowed_actions.map((action) => ({
    action,
    rest: {
      ...permission,
      allowed_actions: permission.allowed_actions.filter((name) => name !== action),
    },
  }));

const [source, target, alias] = ['orders-v1', 'orders-v2', 'orders'] as const;
const post = (path: string, body: object) =>
  sendChecked(environment.apiUrl, `/_plugins/_aosc/${source}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a plan', () => {
  beforeAll(async () => {
    await createSourceIndex(environment.http, { name: source, shards: 1, alias });
    await createTargetIndex(environment.http, { name: target, shards: 2 });
    const document = { key: 'k', revision: 1, title: 't', unmapped: 1 };
    await callJson(environment.http, (answer) => answer, 'PUT', `/${source}/_doc/1?refresh=true`, document);
  });
  afterAll(() => deleteIndices(environment.http, [source, target]));

  const check = Type.Object({ id: Type.String(), verdict: Type.String() });
  const parsePlan = createParser('answer of _plan', Type.Object({ checks: Type.Array(check) }));
  const seconds = 1;
  async function readVerdict(): Promise<string | undefined> {
    const { status, body } = await post('_plan', { target_index: target, alias, seconds });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const names = await callJson(
      environment.http,
      (answer) => answer,
      'GET',
      '/_cat/indices/.aosc-plan-*?expand_wildcards=all&format=json',
    );
    for (const { index } of names as readonly { readonly index: string }[])
      await deleteIndices(environment.http, [index]);
    return parsePlan(body).checks.find(({ id }) => id === 'documents.read')?.verdict;
  }

  test('tries documents with the permission of its page', async () => {
    await allow(readPlanPermission());
    expect(await readVerdict()).toBe('ok');
  });

  // Without it only what a dead process has left stays.
  const needed = withoutEach(readPlanPermission()).filter(({ action }) => action !== 'indices:admin/get');
  test.each([{ action: 'all of it', rest: undefined }, ...needed])(
    'says that it could not try them without $action',
    async ({ rest }) => {
      await allow(...(rest === undefined ? [] : [rest]));
      expect(await readVerdict()).toBe('warn');
    },
  );
});

describe('documents that are set aside', () => {
  const permission = readSetAsidePermission();
  const kept = '.aosc-set-aside';
  afterEach(() => deleteIndices(environment.http, [source, target]));

  test('are kept and written again with the permission of their page', async () => {
    await allow(permission);
    const { http } = environment;
    const odd = `{"key":"odd","revision":1,"title":"an odd one",${refusedField}}`;
    const fields = { key: { type: 'keyword' }, revision: { type: 'long' }, title: { type: 'text' } };
    const result = await runMigration(
      environment,
      {
        name: alias,
        source: { shards: 2, routingShards: 8 },
        target: {
          shards: 4,
          routingShards: 8,
          mappings: { dynamic: false, properties: { ...fields, ...refusingMapping } },
        },
        documents: 500,
        furtherDocuments: [
          { id: 'odd', source: odd },
          { id: 'deleted', source: odd },
        ],
        options: { on_document_error: 'set_aside' },
      },
      async (migration) => {
        await migration.waitFor('both', ({ set_aside: aside }) => aside?.count === 2);
        await callJson(http, (answer) => answer, 'DELETE', `/${migration.source}/_doc/deleted`);
        await migration.waitFor('the one that was not deleted', ({ set_aside: aside }) => aside?.count === 1);
        await callJson(http, (answer) => answer, 'PUT', `/${migration.target}/_mapping`, takingMapping);
        await post('_set_aside/_retry', {});
      },
    );
    expectClean(result);
    await removeIndices(environment, result.migration);
  });

  test.each([{ action: 'all of it', rest: undefined }, ...withoutEach(permission)])(
    'are refused at the start without $action',
    async ({ action, rest }) => {
      const { http } = environment;
      await deleteIndices(http, [kept]);
      await createSourceIndex(http, { name: source, shards: 1, alias });
      await createTargetIndex(http, { name: target, shards: 1 });
      await allow(...(rest === undefined ? [] : [rest]));
      const options = { on_document_error: 'set_aside' };
      const { status, body } = await post('_start', { target_index: target, alias, options });
      const named = (rest === undefined ? 'indices:admin/create' : action).replace(/\*|\[s\]/, '');
      expect({ status, body: JSON.stringify(body) }).toEqual({
        status: 400,
        body: expect.stringMatching(
          new RegExp(`\\[.*${named}.*\\] on index \\[\\.aosc-set-aside\\]`),
        ) as string,
      });
    },
  );
});

describe('a copy by files', () => {
  const ofBoth: Permission = { index_patterns: [source, target], allowed_actions: ['indices:admin/resize'] };
  const ofTarget: Permission = { index_patterns: [target], allowed_actions: ['indices:admin/delete'] };

  test.each([
    { missing: `[indices:admin/delete] on index [${target}]`, allowed: [ofBoth] },
    { missing: `[indices:admin/resize] on index [${source}, ${target}]`, allowed: [ofTarget] },
  ])('is refused without $missing', async ({ missing, allowed }) => {
    await createSourceIndex(environment.http, { name: source, shards: 2, alias });
    await allow(...allowed);
    const options = { copy: 'files' };
    const { status, body } = await post('_start', { target_index: target, alias, options });
    expect({ status, body: JSON.stringify(body) }).toEqual({
      status: 400,
      body: expect.stringContaining(missing) as string,
    });
    await deleteIndices(environment.http, [source]);
  });

  test('is exact with the permissions of its page', async () => {
    await allow(ofBoth, ofTarget);
    const result = await runMigration(environment, {
      name: alias,
      source: { shards: 2, routingShards: 8 },
      target: { shards: 4 },
      byFiles: true,
      documents: 2000,
    });
    expectClean(result);
    await removeIndices(environment, result.migration);
  });
});

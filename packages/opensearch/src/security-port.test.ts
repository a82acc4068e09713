import { ClusterError } from '@aosc/engine';
import type { OpenSearchClient, SendRequest } from './client/request';
import { createSecurityPort } from './security-port';

const call = { signal: new AbortController().signal };

/** A client that gives one answer to whatever is sent, and keeps what was. */
function answering(status: number, body: unknown): { client: OpenSearchClient; sent: SendRequest[] } {
  const sent: SendRequest[] = [];
  const client: OpenSearchClient = {
    send: (request) => {
      sent.push(request);
      return Promise.resolve({ status, body: Buffer.from(JSON.stringify(body)) });
    },
    nodes: () => [],
    close: () => Promise.resolve(),
  };
  return { client, sent };
}

const error = (type: string, reason: string) => ({ error: { type, reason, root_cause: [{ type, reason }] } });
const unknownParameter = error('illegal_argument_exception', 'contains unrecognized parameter');
const unrendered = error(
  'class_cast_exception',
  'class org.opensearch.security.action.simulate.PermissionCheckResponse cannot be cast to class MainResponse',
);
const noPermission = error(
  'security_exception',
  'no permissions for [indices:data/write/update] and User [name=x]',
);
const question = { method: 'PUT', path: '/books/_block/write' } as const;

test('a question about a request is that request with the parameter', async () => {
  const { client, sent } = answering(200, { accessAllowed: true, missingPrivileges: [] });
  expect(await createSecurityPort(client).askPermission(question, call)).toEqual([]);
  expect(sent).toEqual([{ ...question, query: { perform_permission_check: true } }]);
});

test.each<[string, number, unknown, readonly string[] | undefined]>([
  ['a no', 200, { accessAllowed: false, missingPrivileges: ['a', 'b'] }, ['a', 'b']],
  ['a no without names', 200, { accessAllowed: false, missingPrivileges: [] }, ['PUT /books/_block/write']],
  ['an unknown parameter', 400, unknownParameter, undefined],
  ['a verdict that is not rendered', 500, unrendered, undefined],
])('%s', async (_, status, body, missing) => {
  expect(await createSecurityPort(answering(status, body).client).askPermission(question, call)).toEqual(
    missing,
  );
});

test.each<[string, number, unknown, boolean]>([
  ['a yes', 200, { accessAllowed: true, missingPrivileges: [] }, true],
  ['a no', 200, { accessAllowed: false, missingPrivileges: ['a'] }, true],
  ['an unknown parameter', 400, unknownParameter, false],
  ['a parameter lost on the way', 200, { cluster_name: 'a', status: 'green' }, false],
])('whether questions are answered, by %s', async (_, status, body, answers) => {
  expect(await createSecurityPort(answering(status, body).client).answersPermissionChecks(call)).toBe(
    answers,
  );
});

test('a cluster that is not there answers no questions and gives no verdict', async () => {
  const { client } = answering(503, error('cluster_manager_not_discovered_exception', ''));
  await expect(createSecurityPort(client).answersPermissionChecks(call)).rejects.toBeInstanceOf(ClusterError);
});

const restriction = 'Update is not supported when FLS or DLS or Fieldmasking is activated';
test.each<[string, number, unknown, boolean]>([
  ['the refusal of the valve', 500, error('security_exception', restriction), true],
  ['an index that is no alias', 404, error('index_not_found_exception', 'is not an alias'), false],
  ['a write block', 403, error('cluster_block_exception', 'blocked by: [FORBIDDEN/8/index write]'), false],
  ['a cluster without require_alias', 400, unknownParameter, false],
])('%s', async (_, status, body, restricted) => {
  const { client, sent } = answering(status, body);
  expect(await createSecurityPort(client).isRestricted('books', call)).toBe(restricted);
  expect(sent[0]?.query).toMatchObject({ require_alias: true });
});

test.each([
  ['without the permission', 403, noPermission, 'forbidden'],
  ['without a primary', 503, error('unavailable_shards_exception', ''), 'transient'],
])('%s there is no verdict', async (_, status, body, kind) => {
  await expect(
    createSecurityPort(answering(status, body).client).isRestricted('books', call),
  ).rejects.toMatchObject({ kind });
});

test.each<[string, number, unknown, string | undefined]>([
  ['a user', 200, { user_name: 'aosc', roles: [] }, 'aosc'],
  ['no plugin', 400, { error: 'no handler found for uri [/_plugins/_security/authinfo]' }, undefined],
  ['a closed path', 403, { Message: 'is not allowed' }, undefined],
])('authinfo: %s', async (_, status, body, user) => {
  expect(await createSecurityPort(answering(status, body).client).readOwnUser(call)).toBe(user);
});

describe('a delete that can not succeed', () => {
  const item = (status: number, cause?: unknown) => ({ items: [{ delete: { status, error: cause } }] });

  test.each([409, 404])('that gets as far as a shard (%d) is a yes', async (status) => {
    const { client, sent } = answering(200, item(status, { type: 'a', reason: 'b' }));
    await createSecurityPort(client).tryDelete('books', call);
    expect(sent[0]?.body).toContain(`"if_seq_no":${Number.MAX_SAFE_INTEGER}`);
  });

  test('that is refused names what is missing', async () => {
    const { client } = answering(200, item(403, noPermission.error));
    await expect(createSecurityPort(client).tryDelete('books', call)).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('no permissions for [indices:data/write/update]') as string,
    });
  });
});

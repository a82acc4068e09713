import { ClusterError } from '@aosc/engine';
import type { SecurityPort } from '@aosc/opensearch';
import { neededRequests } from '@aosc/runtime';
import { examplePrimary, exampleRouting } from '@aosc/testkit';
import { createDependencies } from '../__tests__/create-dependencies';
import type { ApiDependencies } from '../dependencies';
import { checkPrivileges } from './check-capabilities';
import { readStartRequest } from './start-request';

const call = { signal: new AbortController().signal };
const request = readStartRequest('books', { target_index: 'books2', alias: 'library' });

/** A user that may do everything and sees everything, but for the parts given. */
function dependencies(parts: Partial<SecurityPort>) {
  const base = createDependencies({});
  const security: SecurityPort = {
    readOwnUser: () => Promise.resolve('aosc'),
    answersPermissionChecks: () => Promise.resolve(true),
    askPermission: () => Promise.resolve([]),
    tryRead: () => Promise.resolve(),
    isRestricted: () => Promise.resolve(false),
    tryDelete: () => Promise.resolve(),
    ...parts,
  };
  const index = {
    state: {
      refresh: () => Promise.resolve(),
      countCopies: () => Promise.resolve([0]),
      readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0)])),
      getDocuments: () => Promise.resolve([]),
    },
    snapshots: { open: () => Promise.resolve('pit'), close: () => Promise.resolve([]) },
  };
  const cluster: unknown = { index: () => index };
  return { ...base, security, cluster: cluster as ApiDependencies['cluster'] };
}

test('without the security plugin nothing else is asked', async () => {
  const deps = createDependencies({});
  const security = { ...deps.security, readOwnUser: () => Promise.resolve(undefined) };
  await expect(checkPrivileges({ ...deps, security }, request, call)).resolves.toBeUndefined();
});

test('a user that may do everything passes', async () => {
  await expect(checkPrivileges(dependencies({}), request, call)).resolves.toBeUndefined();
});

test('where nobody answers questions, none but the first is asked, and what only reads is tried', async () => {
  const deps = dependencies({
    answersPermissionChecks: () => Promise.resolve(false),
    askPermission: () => Promise.reject(new Error('asked all the same')),
    tryRead: ({ path }) =>
      path.startsWith('/books/_stats')
        ? Promise.reject(new ClusterError('forbidden', 'no permissions for [indices:monitor/stats] and User'))
        : Promise.resolve(),
  });
  await expect(checkPrivileges(deps, request, call)).rejects.toThrow(
    'lacks permissions: [indices:monitor/stats] on index [books]; ',
  );
});

test('everything that is missing is told at once', async () => {
  const refusal = 'no permissions for [indices:data/write/bulk[s]] and User [name=aosc]';
  const deps = dependencies({
    askPermission: ({ path }) =>
      Promise.resolve(path === '/books/_block/write' ? ['indices:admin/block/add'] : []),
    isRestricted: (index) => Promise.resolve(index === 'books'),
    tryDelete: (index) =>
      index === 'books2' ? Promise.reject(new ClusterError('forbidden', refusal)) : Promise.resolve(),
  });
  await expect(checkPrivileges(deps, request, call)).rejects.toMatchObject({
    code: 'precondition_failed',
    message:
      'Migration precondition check failed: OpenSearch user [aosc] of the service lacks permissions: ' +
      '[indices:admin/block/add] on index [books]; [indices:data/write/bulk[s]] on index [books2]; ' +
      'give it a role with them (docs/how-to/opensearch-user.md has a complete one); ' +
      'document-level security, field-level security or masked fields are active for OpenSearch user [aosc] of the ' +
      'service on index [books] and would hide data from the copy and from its counts; take them out of ' +
      "the user's roles",
  });
});

test('a migration goes on without what is optional', async () => {
  const deps = dependencies({
    askPermission: ({ path }) => Promise.resolve(path === '/_tasks' ? ['cluster:monitor/tasks/lists'] : []),
  });
  await expect(checkPrivileges(deps, request, call)).resolves.toBeUndefined();
});

test('an index that is not ready is left to the checks that come after', async () => {
  const gone = new ClusterError('not_found', 'no such index');
  const deps = dependencies({ tryDelete: () => Promise.reject(gone) });
  await expect(checkPrivileges(deps, request, call)).resolves.toBeUndefined();
});

test('every request that is asked about names one index, or the cluster', () => {
  const requests = neededRequests({ source: 'books', target: 'books2', alias: 'library' });
  const indices = new Set(requests.map(({ index }) => index));
  expect(indices).toEqual(new Set([undefined, '*', 'books', 'books2', '.aosc-migrations']));
});

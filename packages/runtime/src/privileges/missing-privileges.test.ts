import { collectMissing, describeMissing, privilegesIn } from './missing-privileges';

test('permissions are named once for each index, those of the cluster apart', () => {
  const missing = collectMissing([
    { missing: ['cluster:monitor/state'] },
    { index: 'books', missing: ['indices:admin/get'] },
    { index: 'books', missing: [] },
    { index: 'books2', missing: [] },
    { missing: ['cluster:monitor/health', 'cluster:monitor/state'] },
    { index: 'books', missing: ['indices:admin/block/add', 'indices:admin/get'] },
  ]);
  expect(describeMissing('aosc', missing)).toBe(
    'OpenSearch user [aosc] of the service lacks permissions: ' +
      '[cluster:monitor/state, cluster:monitor/health] on the cluster; ' +
      '[indices:admin/get, indices:admin/block/add] on index [books]; ' +
      'give it a role with them (docs/how-to/opensearch-user.md has a complete one)',
  );
});

test('nothing missing is nothing', () => {
  expect(collectMissing([{ index: 'books', missing: [] }]).size).toBe(0);
});

test.each([
  [
    'POST /a/_bulk answered 403 security_exception: no permissions for [indices:data/write/bulk[s], indices:data/write/index] and User [name=aosc, backend_roles=[], requestedTenant=null]',
    ['indices:data/write/bulk[s]', 'indices:data/write/index'],
  ],
  ['no permissions for [indices:data/read/mget[shard]] and User [name=x]', ['indices:data/read/mget[shard]']],
  ['something else', ['something else']],
])('in %j', (message, privileges) => {
  expect(privilegesIn(message)).toEqual(privileges);
});

import type { ClusterErrorKind } from '@aosc/engine';
import { classifyError } from './classify';

const error = (type: string, reason: string, more: object = {}) => ({ error: { type, reason, ...more } });
const searchFailure = (type: string, reason: string) => ({
  error: {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    root_cause: [{ type, reason }],
    failed_shards: [{ shard: 0, reason: { type, reason } }],
    caused_by: { type, reason },
  },
});

const table: readonly (readonly [ClusterErrorKind, number, unknown])[] = [
  [
    'snapshot_lost',
    404,
    searchFailure('search_context_missing_exception', 'No search context found for id [4]'),
  ],
  ['snapshot_lost', 500, searchFailure('illegal_state_exception', 'no node found for id: YXqnPim1Svyga')],
  ['transient', 500, searchFailure('illegal_state_exception', 'something else')],
  ['transient', 500, searchFailure('node_not_connected_exception', '[n2] Node not connected')],
  ['transient', 503, error('search_phase_execution_exception', '')],
  ['overload', 429, error('es_rejected_execution_exception', 'rejected execution of primary operation')],
  ['overload', 503, searchFailure('es_rejected_execution_exception', 'rejected execution')],
  [
    'overload',
    429,
    error('circuit_breaking_exception', '[parent] Data too large, data for [<http_request>]'),
  ],
  ['overload', 429, 'slow down'],
  ['transient', 403, { message: 'The security token included in the request is expired' }],
  ['transient', 403, { message: 'Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z' }],
  [
    'transient',
    403,
    { message: 'Signature not yet current: 20260101T001000Z is still later than 20260101T000500Z' },
  ],
  ['forbidden', 403, { message: 'The security token included in the request is invalid.' }],
  ['forbidden', 403, error('security_exception', 'signature expired')],
  ['too_large', 413, ''],
  ['too_large', 500, error('exception', 'entity content is too long: Content Too Long')],
  [
    'invalid',
    500,
    error(
      'exception',
      'java.lang.IllegalArgumentException: exceeded max allowed inline script size in bytes [65535] with size [70000] for script [x]',
    ),
  ],
  ['transient', 502, '<html>bad gateway</html>'],
  ['transient', 503, error('unavailable_shards_exception', 'primary shard is not active')],
  [
    'transient',
    503,
    error('cluster_block_exception', 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];'),
  ],
  [
    'blocked',
    403,
    error('cluster_block_exception', 'index [a] blocked by: [FORBIDDEN/8/index write (api)];'),
  ],
  ['blocked', 429, error('cluster_block_exception', 'blocked by: [TOO_MANY_REQUESTS/12/disk usage]')],
  ['forbidden', 403, error('security_exception', 'no permissions for [indices:data/write/bulk]')],
  ['forbidden', 401, 'Unauthorized'],
  ['not_found', 404, error('index_not_found_exception', 'no such index [a]')],
  ['not_found', 404, { error: 'alias [nope] missing', status: 404 }],
  ['conflict', 409, error('version_conflict_engine_exception', '[a]: version conflict')],
  ['conflict', 400, error('resource_already_exists_exception', 'index [a] already exists')],
  ['invalid', 400, error('index_closed_exception', 'closed')],
  ['invalid', 400, error('illegal_argument_exception', 'invalid id: [garbage]')],
  [
    'invalid',
    503,
    error('search_phase_execution_exception', '', { caused_by: { type: 'too_many_buckets_exception' } }),
  ],
  ['transient', 500, error('null_pointer_exception', '')],
  [
    'too_many_clauses',
    400,
    searchFailure(
      'query_shard_exception',
      'failed to create query: The number of terms [60] used in the Terms Query request has exceeded the allowed ' +
        'maximum of [10]. This maximum can be set by changing the [index.max_terms_count] index level setting.',
    ),
  ],
  [
    'too_many_clauses',
    400,
    searchFailure('query_shard_exception', 'failed to create query: maxClauseCount is set to 20'),
  ],
];

test.each(table)('%s: status %d, %j', (kind, status, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const found = classifyError('GET /a', status, Buffer.from(text));
  expect(found).toMatchObject({ kind, details: { status } });
  expect(found.message).toContain(`GET /a answered ${status}`);
});

test.each([
  ['cluster', 503, error('cluster_manager_not_discovered_exception', '')],
  ['cluster', 503, error('master_not_discovered_exception', '')],
  [
    'cluster',
    503,
    error('cluster_block_exception', 'blocked by: [SERVICE_UNAVAILABLE/2/no cluster manager];'),
  ],
  [
    undefined,
    403,
    error('cluster_block_exception', 'index [a] blocked by: [FORBIDDEN/8/index write (api)];'),
  ],
  [undefined, 503, error('unavailable_shards_exception', 'primary shard is not active')],
  [undefined, 429, error('es_rejected_execution_exception', 'rejected execution of primary operation')],
  [
    'pit_room',
    429,
    searchFailure(
      'rejected_execution_exception',
      'Trying to create too many Point In Time contexts. Must be less than or equal to: [300].',
    ),
  ],
] as const)('awaits %s: status %d, %j', (awaits, status, body) => {
  const { details } = classifyError('GET /a', status, Buffer.from(JSON.stringify(body)));
  expect(details.awaits).toBe(awaits);
});

test('the reason shown is the first that says something', () => {
  const body = Buffer.from(
    JSON.stringify(searchFailure('illegal_state_exception', 'no node found for id: X')),
  );
  expect(classifyError('GET /a', 500, body).message).toContain('no node found for id: X');
});

import { ClusterError } from '@aosc/engine';
import { toAoscError } from './to-aosc-error';

test.each<[string, ClusterError, string]>([
  [
    'wrong credentials',
    new ClusterError('forbidden', 'GET / answered 401 Unauthorized', { status: 401 }),
    'check AOSC_OPENSEARCH_USERNAME and AOSC_OPENSEARCH_PASSWORD_FILE: GET / answered 401 Unauthorized',
  ],
  [
    'a missing permission',
    new ClusterError('forbidden', 'GET / answered 403 no permissions for [x]', { status: 403 }),
    'docs/how-to/opensearch-user.md: GET / answered 403 no permissions for [x]',
  ],
  [
    'an unknown authority',
    new ClusterError('transient', 'GET /: ConnectionError: self-signed certificate'),
    'set AOSC_OPENSEARCH_CA to the authority that signed it: GET /: ConnectionError: self-signed certificate',
  ],
  [
    'a lost connection',
    new ClusterError('transient', 'GET /: ConnectionError: socket hang up'),
    "OpenSearch can't be reached or gave no usable answer: GET /: ConnectionError: socket hang up",
  ],
  [
    'a shard that is being moved',
    new ClusterError('transient', '_mget answered 500 no_shard_available_action_exception', { status: 500 }),
    "OpenSearch has answered that it can't do this at the moment; try again, or look at _cluster/health: _mget answered",
  ],
  [
    'a refusal',
    new ClusterError('invalid', 'PUT /x answered 400 validation_exception: no', { status: 400 }),
    'OpenSearch refuses a request of the service: PUT /x answered 400 validation_exception: no',
  ],
])('%s is told as 503 with what to do', (_, error, reason) => {
  const told = toAoscError(error);
  expect(told.code).toBe('unavailable');
  expect(told.message).toContain(reason);
});

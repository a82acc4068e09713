import { keyPrefix, markKey, rootPrefix } from './queue-names';

test('the keys of one server are what they always were: an upgrade finds its queues', () => {
  const root = rootPrefix({}, 'aosc');
  expect([markKey(root), keyPrefix(root, 'uuid')]).toEqual(['aosc:installation', 'aosc:uuid']);
});

test('in a Redis Cluster, all keys share a slot', () => {
  const root = rootPrefix({ redisCluster: ['redis://a'] }, 'aosc');
  expect([markKey(root), keyPrefix(root, 'uuid')]).toEqual(['{aosc}:installation', '{aosc}:uuid']);
});

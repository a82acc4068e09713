import { ConnectionError, type HttpClient } from '../http/http-client';
import { createShardLookup } from './shard-lookup';

/** A cluster that is down for so many requests. */
function clusterThatIsDown(requests: number) {
  const state = { asked: 0 };
  const http: HttpClient = {
    send: () => {
      state.asked += 1;
      if (state.asked <= requests) return Promise.reject(new ConnectionError('connect ECONNREFUSED', false));
      const body = Buffer.from(JSON.stringify({ shards: [[{ shard: 3, index: 'a' }]] }));
      return Promise.resolve({ status: 200, headers: {}, body });
    },
    close: () => undefined,
  };
  return { http, state };
}

test('a lookup outlasts a restart of all nodes, and its answer is kept', async () => {
  const { http, state } = clusterThatIsDown(50);
  const shards = createShardLookup(http, 1);
  expect(await Promise.all([shards.shardOf('a', 'r'), shards.shardOf('a', 'r')])).toEqual([3, 3]);
  expect(state.asked).toBe(51);
  expect(await shards.shardOf('a', 'r')).toBe(3);
  expect(state.asked).toBe(51);
});

test('a cluster that stays away is reported', async () => {
  const { http } = clusterThatIsDown(Infinity);
  await expect(createShardLookup(http, 0).shardOf('a', 'r')).rejects.toThrow('ECONNREFUSED');
});

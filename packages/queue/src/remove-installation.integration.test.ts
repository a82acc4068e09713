import { commandRedis, startRedisCluster } from '@aosc/local-stack';
import { timeLimit } from '@aosc/signals';
import { useRedis } from './__tests__/redis-under-test';
import { removeInstallation } from './remove-installation';

jest.setTimeout(180_000);

const names = { installation_id: 'i', cluster_uuid: 'c', redis_id: 'r' };
const under = useRedis();

test('all keys of one prefix go, however many, and those of others stay', async () => {
  const { redis, stack } = under;
  const theirs = ['aosc:installation', 'aosc-demo-10:x', 'aosc-demo-1', 'x:aosc-demo-1:y'];
  await redis.mset(theirs.flatMap((key) => [key, '1']));
  await redis.mset(Array.from({ length: 5_000 }, (_, n) => [`aosc-demo-1:cluster:${n}`, '1']).flat());
  await redis.set('aosc-demo-1:installation', JSON.stringify(names));
  const access = { redisUrl: stack.redisUrl, prefix: 'aosc-demo-1' };
  expect(await removeInstallation(access, timeLimit(60_000))).toEqual({
    installationId: 'i',
    clusterUuid: 'c',
    redisId: 'r',
  });
  expect((await redis.keys('*')).toSorted()).toEqual(theirs.toSorted());
  expect(await removeInstallation(access, timeLimit(60_000))).toBeUndefined();
});

test('in a Redis Cluster as well', async () => {
  const cluster = await startRedisCluster();
  try {
    const { redisUrl, redisCluster = [] } = cluster.access;
    const holder = await cluster.findPrimary('{aosc-demo-1}:installation');
    await commandRedis(holder.url, ['SET', '{aosc-demo-1}:installation', JSON.stringify(names)]);
    await commandRedis(holder.url, ['SET', '{aosc-demo-1}:c:x', '1']);
    const access = { redisUrl, redisCluster, prefix: 'aosc-demo-1' };
    expect(await removeInstallation(access, timeLimit(60_000))).toMatchObject({ installationId: 'i' });
    expect(await commandRedis(holder.url, ['DBSIZE'])).toBe(':0\r\n');
  } finally {
    await cluster.stop();
  }
});

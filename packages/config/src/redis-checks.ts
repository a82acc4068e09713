import { variables } from './variables';

const url = variables.redisUrls.name;
const sentinel = variables.redisSentinels.name;
const cluster = variables.redisCluster.name;

/** @returns contradictions among the variables of Redis, each with what to do about it */
export function findRedisProblems(values: ReadonlyMap<string, unknown>): readonly string[] {
  const servers = readUrls(values.get('redisUrls'));
  const sentinels = readUrls(values.get('redisSentinels'));
  const isCluster = values.get('redisCluster') === 'yes';
  return [
    ...findUnusedTls(values, [...servers, ...sentinels]),
    ...(isCluster ? findClusterProblems(servers, sentinels) : findSeveral(servers)),
    ...(sentinels.length === 0 ? [] : findSentinelProblems(servers, sentinels)),
  ];
}

export function readUrls(value: unknown): readonly URL[] {
  return Array.isArray(value) ? value.map((text) => new URL(String(text))) : [];
}

function findUnusedTls(values: ReadonlyMap<string, unknown>, urls: readonly URL[]): readonly string[] {
  if (urls.length === 0 || urls.some(({ protocol }) => protocol === 'rediss:')) return [];
  return (['redisCa', 'redisClientCert'] as const)
    .filter((key) => (values.get(key) ?? '') !== '')
    .map((key) => `${variables[key].name} is set, but ${url} does not begin with rediss://`);
}

function findSeveral(servers: readonly URL[]): readonly string[] {
  if (servers.length < 2) return [];
  return [
    `${url} names ${servers.length} servers: set ${cluster}=yes when they are nodes of one Redis Cluster, else name only the primary, ` +
      `or its sentinels in ${sentinel}`,
  ];
}

function findClusterProblems(servers: readonly URL[], sentinels: readonly URL[]): readonly string[] {
  return [
    ...(sentinels.length > 0
      ? [`${cluster} is yes and ${sentinel} is set: Redis Cluster has no sentinels, so set one of the two`]
      : []),
    ...(areAlike(servers)
      ? []
      : [`the URLs of ${url} differ in scheme or credentials: all nodes of a Redis Cluster take the same`]),
    ...(servers.some(({ pathname }) => !/^\/?0?$/.test(pathname))
      ? [`${url} names a database, and a Redis Cluster has only database 0: take it out of the URL`]
      : []),
  ];
}

function findSentinelProblems(servers: readonly URL[], sentinels: readonly URL[]): readonly string[] {
  return [
    ...(servers.some(({ port }) => port !== '')
      ? [
          `${sentinel} is set, and ${url} has a port: its host must be the name by which the sentinels know the primary, ` +
            'without a port, like redis://mymaster',
        ]
      : []),
    ...(areAlike(sentinels)
      ? []
      : [`the URLs of ${sentinel} differ in scheme or credentials: all sentinels take the same`]),
    ...(sentinels.some(({ pathname }) => pathname !== '' && pathname !== '/')
      ? [`${sentinel} names a database, and sentinels have none: it belongs to ${url}`]
      : []),
  ];
}

function areAlike(urls: readonly URL[]): boolean {
  return (
    new Set(urls.map(({ protocol, username, password }) => `${protocol}${username}:${password}`)).size <= 1
  );
}

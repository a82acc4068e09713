/** How Redis is reached besides its address, when that is `rediss://`; PEM texts. */
export interface RedisTls {
  /** authority that signed the server's certificate, when it is not a public one */
  readonly ca?: string;
  /** shown to the server */
  readonly cert?: string;
  readonly key?: string;
}

/** Where Redis is, and how it is reached. At most one of sentinels and cluster. */
export interface RedisAccess {
  /** with scheme, credentials and database. Behind sentinels, its host is the name by which they know the primary. */
  readonly redisUrl: string;
  readonly redisTls?: RedisTls;
  /** URLs of sentinels, which know where the primary is */
  readonly redisSentinels?: readonly string[];
  /** URLs of nodes of one Redis Cluster, including `redisUrl`; ioredis learns the others from them */
  readonly redisCluster?: readonly string[];
}

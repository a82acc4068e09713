import { Redis } from 'ioredis';

export interface RedisFigures {
  readonly commands: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
}

export interface RedisWatch {
  read(): Promise<RedisFigures>;
  stop(): void;
}

/** What a Redis says of itself. */
export function watchRedis(url: string): RedisWatch {
  const redis = new Redis(url);
  return {
    read: async () => parseRedisInfo(await redis.info()),
    stop: () => redis.disconnect(),
  };
}

/** @param text answer of `INFO` @throws Error when a figure is missing */
export function parseRedisInfo(text: string): RedisFigures {
  const read = (name: string): number => {
    const value = new RegExp(`^${name}:([0-9.]+)\\r?$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`INFO of Redis without ${name}`);
    return Number(value);
  };
  return {
    commands: read('total_commands_processed'),
    cpuSeconds: read('used_cpu_sys') + read('used_cpu_user'),
    bytes: read('used_memory'),
  };
}

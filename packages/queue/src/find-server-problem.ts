import { Cluster } from 'ioredis';
import { askHolder, type Connection } from './connection';

type Info = ReadonlyMap<string, string>;

/**
 * @param key any of the service's: a cluster's node that holds it answers
 * @returns what is wrong with the server, or undefined
 */
export async function findServerProblem(connection: Connection, key: string): Promise<string | undefined> {
  const unknown = findUnknownCluster(connection, await readInfo(connection, key, 'cluster'));
  return unknown ?? findEvictionProblem(await readInfo(connection, key, 'memory'));
}

/** A cluster that the service treats as one server refuses BullMQ's scripts: their keys lie on several nodes. */
export function findUnknownCluster(connection: Connection, info: Info): string | undefined {
  if (connection instanceof Cluster || info.get('cluster_enabled') !== '1') return undefined;
  return 'this Redis is a cluster, and the service takes it for one server: set AOSC_REDIS_CLUSTER=yes';
}

/** BullMQ loses jobs when Redis may evict keys. */
export function findEvictionProblem(info: Info): string | undefined {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return undefined;
  return `Redis may evict keys (maxmemory-policy is ${policy}): set maxmemory-policy to noeviction`;
}

/** Lines `name:value` of INFO. @param section undefined: the usual ones */
export async function readInfo(connection: Connection, key: string, section?: string): Promise<Info> {
  const answer = await askHolder(connection, key, 'info', ...(section === undefined ? [] : [section]));
  const pairs = String(answer)
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    });
  return new Map(pairs);
}

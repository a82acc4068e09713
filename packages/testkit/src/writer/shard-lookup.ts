import { setTimeout as sleep } from 'node:timers/promises';
import { callJson } from '../http/call-json';
import type { HttpClient } from '../http/http-client';
import { parseSearchShards } from '../http/shapes';

/** Finds which shard of an index a routing leads to, as OpenSearch itself computes it. */
export interface ShardLookup {
  shardOf(index: string, routing: string): Promise<number>;
}

/** All nodes may be down for as long as they take to start again. */
const maxTries = 240;
const pauseMs = 250;

/** Answers are kept: a routing never moves within an index, and the writers use few routings. */
export function createShardLookup(http: HttpClient, pause = pauseMs): ShardLookup {
  const known = new Map<string, Promise<number>>();
  return {
    shardOf: (index, routing) => {
      const key = `${index}/${routing}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const looked = lookUp(http, index, routing, pause);
      known.set(key, looked);
      looked.catch(() => known.delete(key));
      return looked;
    },
  };
}

async function lookUp(http: HttpClient, index: string, routing: string, pause: number): Promise<number> {
  const path = `/${encodeURIComponent(index)}/_search_shards?routing=${encodeURIComponent(routing)}`;
  let failure: unknown;
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (tries > 0) await sleep(pause);
    try {
      const answer = await callJson(http, parseSearchShards, 'GET', path);
      const shard = answer.shards[0]?.[0]?.shard;
      if (shard === undefined) throw new Error(`no shard for routing ${routing} in ${index}`);
      return shard;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

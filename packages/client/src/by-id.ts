import type { AnswerName } from './answers.ts';
import type { Schemas } from './generated/types.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

export interface IndicesOptions extends CallOptions {
  /** a part of the name of an index, or of one of its aliases; default: all */
  readonly contains?: string;
}

/** Any migration by its id, also when its source has newer ones; and what the cluster has now. */
export interface ById {
  migration(id: string, options?: CallOptions): Promise<Schemas['MigrationStatus']>;
  migrationTimeline(id: string, options?: CallOptions): Promise<Schemas['Timeline']>;
  migrationVerification(id: string, options?: CallOptions): Promise<Schemas['Verification']>;
  migrationShard(id: string, shard: number, options?: CallOptions): Promise<Schemas['ShardDetail']>;
  /** Where the alias is, which index is blocked and by which migration, how many documents there are. */
  migrationIndices(id: string, options?: CallOptions): Promise<Schemas['MigrationIndices']>;
  /** Indices that a migration may have as its source, with their aliases. */
  indices(options?: IndicesOptions): Promise<Schemas['IndexList']>;
}

export function callsById({ send }: Transport): ById {
  async function ask<N extends AnswerName>(
    path: string,
    answer: N,
    { signal, contains }: IndicesOptions = {},
  ): Promise<Schemas[N]> {
    const query = { contains };
    const { body } = await send({ method: 'GET', changesNothing: true, path, query, answer, signal });
    if (body === undefined) throw new Error('304 without an ETag to match');
    return body;
  }
  return {
    migration: (id, options) => ask(pathById(id), 'MigrationStatus', options),
    migrationTimeline: (id, options) => ask(pathById(id, '/_timeline'), 'Timeline', options),
    migrationVerification: (id, options) => ask(pathById(id, '/_verify'), 'Verification', options),
    migrationShard: (id, shard, options) => ask(pathById(id, `/_shards/${shard}`), 'ShardDetail', options),
    migrationIndices: (id, options) => ask(pathById(id, '/_indices'), 'MigrationIndices', options),
    indices: (options) => ask('/_plugins/_aosc/_indices', 'IndexList', options),
  };
}

export const pathById = (id: string, part = ''): string =>
  `/_plugins/_aosc/_migrations/${encodeURIComponent(id)}${part}`;

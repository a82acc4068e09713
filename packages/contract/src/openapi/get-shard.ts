import { Type } from '@sinclair/typebox';
import { ShardDetailSchema } from '../shard-detail';
import { errorsOfCluster, errorsOfEveryRequest, type Operation, type Parameter } from './operation';
import { migrationId, sourceIndex } from './parameters';

const shard: Parameter = {
  name: 'shard',
  in: 'path',
  description: 'Number of a shard of the source.',
  schema: Type.Integer({ minimum: 0 }),
};

const common = {
  method: 'get',
  tag: 'migrations',
  commonParameters: true,
  answers: { 200: { description: 'The shard.', schema: ShardDetailSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
} as const;

/** Beside the contract. */
export const getShard: Operation = {
  ...common,
  path: '/_plugins/_aosc/{index}/_shards/{shard}',
  operationId: 'aosc_get_shard',
  role: 'read',
  summary: 'Show who works on one shard, where, and what holds it back',
  description: 'Of the running or the newest migration of a source. `_status` has the figures of all shards.',
  parameters: [sourceIndex, shard],
};

/** Beside the contract. */
export const getMigrationShard: Operation = {
  ...common,
  path: '/_plugins/_aosc/_migrations/{migration_id}/_shards/{shard}',
  operationId: 'aosc_get_migration_shard',
  role: 'read',
  summary: 'Show who works, or has worked, on one shard of one migration',
  parameters: [migrationId, shard],
};

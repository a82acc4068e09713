import { Type } from '@sinclair/typebox';
import { ShardDetailSchema } from '../shard-detail';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

/** Beside the contract. */
export const getShard: Operation = {
  method: 'get',
  path: '/_plugins/_aosc/{index}/_shards/{shard}',
  operationId: 'aosc_get_shard',
  tag: 'migrations',
  summary: 'Show who works on one shard, where, and what holds it back',
  description: 'Of the running or the newest migration of a source. `_status` has the figures of all shards.',
  parameters: [
    sourceIndex,
    {
      name: 'shard',
      in: 'path',
      description: 'Number of a shard of the source.',
      schema: Type.Integer({ minimum: 0 }),
    },
  ],
  commonParameters: true,
  answers: { 200: { description: 'The shard.', schema: ShardDetailSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
};

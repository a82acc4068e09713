import { Type } from '@sinclair/typebox';
import { StatusSchema } from '../status-schema';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

const headers = { ETag: 'Changes whenever the status does; weak.' };

export const getMigrationStatus: Operation = {
  method: 'get',
  path: '/_plugins/_aosc/{index}/_status',
  operationId: 'aosc_get_migration_status',
  tag: 'migrations',
  summary: 'Show the running or the newest migration of a source',
  parameters: [
    sourceIndex,
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'The ETag of an earlier answer: 304 when nothing has changed since.',
      schema: Type.String(),
    },
  ],
  commonParameters: true,
  answers: {
    200: { description: 'The migration.', schema: StatusSchema, headers },
    304: { description: 'Nothing has changed.', headers },
  },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
};

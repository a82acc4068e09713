import { Type } from '@sinclair/typebox';
import { StatusSchema } from '../status-schema';
import { errorsOfCluster, errorsOfEveryRequest, type Operation, type Parameter } from './operation';
import { migrationId, sourceIndex } from './parameters';

const headers = { ETag: 'Changes whenever the status does; weak.' };

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier answer: 304 when nothing has changed since.',
  schema: Type.String(),
};

const common = {
  method: 'get',
  tag: 'migrations',
  commonParameters: true,
  answers: {
    200: { description: 'The migration.', schema: StatusSchema, headers },
    304: { description: 'Nothing has changed.', headers },
  },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
} as const;

export const getMigrationStatus: Operation = {
  ...common,
  path: '/_plugins/_aosc/{index}/_status',
  operationId: 'aosc_get_migration_status',
  role: 'read',
  summary: 'Show the running or the newest migration of a source',
  parameters: [sourceIndex, ifNoneMatch],
};

/** Beside the contract. */
export const getMigration: Operation = {
  ...common,
  path: '/_plugins/_aosc/_migrations/{migration_id}',
  operationId: 'aosc_get_migration',
  role: 'read',
  summary: 'Show one migration, also when its source has newer ones',
  parameters: [migrationId, ifNoneMatch],
};

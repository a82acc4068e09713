import { Type } from '@sinclair/typebox';
import { IndexListSchema, MigrationIndicesSchema } from '../indices';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { migrationId } from './parameters';

const common = { method: 'get', tag: 'migrations', commonParameters: true } as const;

/** Beside the contract. */
export const listIndices: Operation = {
  ...common,
  path: '/_plugins/_aosc/_indices',
  operationId: 'aosc_list_indices',
  role: 'read',
  summary: 'List the indices of the cluster that a migration may have as its source',
  description: 'Those that the credential may use, at most 500.',
  parameters: [
    {
      name: 'contains',
      in: 'query',
      description: 'A part of the name, or of the name of one of the aliases.',
      schema: Type.String(),
    },
  ],
  answers: { 200: { description: 'The indices.', schema: IndexListSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster],
};

/** Beside the contract. */
export const getMigrationIndices: Operation = {
  ...common,
  path: '/_plugins/_aosc/_migrations/{migration_id}/_indices',
  operationId: 'aosc_get_migration_indices',
  role: 'read',
  summary: 'Show what the cluster says now of the indices and the alias of a migration',
  parameters: [migrationId],
  answers: { 200: { description: 'What it says.', schema: MigrationIndicesSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
};

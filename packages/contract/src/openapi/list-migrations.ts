import { Type } from '@sinclair/typebox';
import { ListAnswerSchema } from '../answers';
import { migrationPhases } from '../phases';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';

/** Migrations in one answer of `_list`: unless asked otherwise, and at most (contract, section 8). */
export const listSizes = { default: 50, max: 500 } as const;

export const listMigrations: Operation = {
  method: 'get',
  path: '/_plugins/_aosc/_list',
  operationId: 'aosc_list_migrations',
  role: 'read',
  tag: 'migrations',
  summary: 'List migrations, newest first',
  parameters: [
    {
      name: 'status',
      in: 'query',
      description: `Phases, separated by commas, in any case: ${migrationPhases.join(', ')}. ACTIVE stands for every phase that has not ended; all, and nothing else, for no filter.`,
      schema: Type.String({ default: 'all', minLength: 1 }),
    },
    {
      name: 'size',
      in: 'query',
      description: `How many at most; more than ${listSizes.max} counts as ${listSizes.max}.`,
      schema: Type.Integer({ minimum: 1, default: listSizes.default }),
    },
  ],
  commonParameters: true,
  answers: { 200: { description: 'The migrations.', schema: ListAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster],
};

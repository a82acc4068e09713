import { Type } from '@sinclair/typebox';
import { StartAnswerSchema } from '../answers';
import { StartRequestSchema } from '../migration-options';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

export const startMigration: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_start',
  operationId: 'aosc_start_migration',
  tag: 'migrations',
  summary: 'Start a migration',
  description:
    'Copies the source into an existing, empty target while writes go on, and then moves the alias. A start that is refused writes nothing.',
  parameters: [sourceIndex],
  commonParameters: true,
  body: {
    // The handler tells of what is missing together with everything else, so its schema does not require it.
    schema: Type.Unsafe({ ...StartRequestSchema, required: ['target_index', 'alias'] }),
    description: 'Where to, under which alias, and how.',
  },
  answers: {
    200: { description: 'The migration is written down and will run.', schema: StartAnswerSchema },
  },
  errors: [
    ...errorsOfEveryRequest,
    ...errorsOfCluster,
    'validation_failed',
    'precondition_failed',
    'conflict',
  ],
};

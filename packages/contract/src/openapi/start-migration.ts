import { Type } from '@sinclair/typebox';
import { StartAnswerSchema, StartCheckSchema } from '../answers';
import { StartRequestSchema } from '../migration-options';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { flag, sourceIndex } from './parameters';

export const startMigration: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_start',
  operationId: 'aosc_start_migration',
  role: 'operate',
  action: 'start',
  tag: 'migrations',
  summary: 'Start a migration',
  description:
    'Copies the source into an existing, empty target while writes go on, and then moves the alias. A start that is refused writes nothing, and tells the first reason; a dry run tells all of them, in `root_cause`.',
  parameters: [
    sourceIndex,
    flag('dry_run', false, 'Check everything that a start checks, and change nothing.'),
  ],
  commonParameters: true,
  body: {
    // The handler reports what is missing together with everything else, so its schema does not require it.
    schema: Type.Unsafe({ ...StartRequestSchema, required: ['target_index', 'alias'] }),
    description: 'Where to, under which alias, and how.',
  },
  answers: {
    200: {
      description: 'The migration is written down and will run; or, with `dry_run`, would be.',
      schema: Type.Union([StartAnswerSchema, StartCheckSchema]),
    },
  },
  errors: [
    ...errorsOfEveryRequest,
    ...errorsOfCluster,
    'validation_failed',
    'precondition_failed',
    'conflict',
  ],
};

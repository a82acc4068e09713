import { Type } from '@sinclair/typebox';
import { CreateTargetAnswerSchema, CreateTargetRequestSchema } from '../create-target';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { flag, sourceIndex } from './parameters';

/** Beside the contract. */
export const createTarget: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_create_target',
  operationId: 'aosc_create_target',
  role: 'operate',
  action: 'create_target',
  tag: 'migrations',
  summary: 'Create an index to migrate into',
  description:
    'Takes the settings and the mapping of the source, applies the changes that are asked for, and creates an index from them. It never changes an index that exists.',
  parameters: [sourceIndex, flag('dry_run', false, 'Show what would be created and create nothing.')],
  commonParameters: true,
  body: {
    // The handler reports what is missing together with everything else, so its schema does not require it.
    schema: Type.Unsafe({ ...CreateTargetRequestSchema, required: ['target_index'] }),
    description: 'The name, and what shall differ from the source.',
  },
  answers: {
    200: { description: 'What was, or would be, created.', schema: CreateTargetAnswerSchema },
  },
  errors: [
    ...errorsOfEveryRequest,
    ...errorsOfCluster,
    'validation_failed',
    'precondition_failed',
    'conflict',
  ],
};

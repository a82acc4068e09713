import { CutoverAnswerSchema } from '../answers';
import { CutoverRequestSchema } from '../cutover-options';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

/** Beside the contract. */
export const orderCutover: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_cutover',
  operationId: 'aosc_order_cutover',
  role: 'operate',
  action: 'cutover',
  tag: 'migrations',
  summary: 'Approve the cutover of a migration, or postpone it',
  description:
    'Without a body the cutover is approved: it begins when the copy is close enough and a window is open. The last word counts, until the write block is asked for.',
  parameters: [sourceIndex],
  commonParameters: true,
  body: { schema: CutoverRequestSchema, description: 'Left out: approve.', isOptional: true },
  answers: { 200: { description: 'It is written down.', schema: CutoverAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'validation_failed', 'not_found', 'conflict'],
};

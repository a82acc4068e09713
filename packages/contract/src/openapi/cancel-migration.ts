import { CancelAnswerSchema } from '../answers';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

export const cancelMigration: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_cancel',
  operationId: 'aosc_cancel_migration',
  role: 'operate',
  action: 'cancel',
  tag: 'migrations',
  summary: 'Cancel the migration of a source',
  description: 'Asks for the end; poll the status until CANCELLED or FAILED.',
  parameters: [sourceIndex],
  commonParameters: true,
  answers: { 200: { description: 'The phase it is in now.', schema: CancelAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found', 'conflict'],
};

import { PreviewAnswerSchema, PreviewRequestSchema } from '../preview';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

/** Beside the contract. */
export const previewTransform: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/{index}/_preview_transform',
  operationId: 'aosc_preview_transform',
  role: 'operate',
  action: 'preview_transform',
  tag: 'migrations',
  summary: 'Try a transform on documents of a source',
  description:
    'Runs the script on some documents as a start does before it writes anything, and shows them before and after. Nothing is written. It shows documents, so it needs the permission transform.',
  parameters: [sourceIndex],
  commonParameters: true,
  body: { schema: PreviewRequestSchema, description: 'The script.' },
  answers: { 200: { description: 'The documents.', schema: PreviewAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'validation_failed', 'precondition_failed'],
};

import { TimelineAnswerSchema } from '../timeline';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { sourceIndex } from './parameters';

/** Beside the contract. */
export const getTimeline: Operation = {
  method: 'get',
  path: '/_plugins/_aosc/{index}/_timeline',
  operationId: 'aosc_get_timeline',
  tag: 'migrations',
  summary: 'Show how a migration went, over time',
  description:
    'Of the running or the newest migration of a source: at most 2,000 moments, fewer of them the longer it takes. None at first.',
  parameters: [sourceIndex],
  commonParameters: true,
  answers: { 200: { description: 'The curve.', schema: TimelineAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
};

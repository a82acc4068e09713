import { TimelineAnswerSchema } from '../timeline';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { migrationId, sourceIndex } from './parameters';

const common = {
  method: 'get',
  tag: 'migrations',
  commonParameters: true,
  answers: { 200: { description: 'The curve.', schema: TimelineAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'not_found'],
} as const;

/** Beside the contract. */
export const getTimeline: Operation = {
  ...common,
  path: '/_plugins/_aosc/{index}/_timeline',
  operationId: 'aosc_get_timeline',
  role: 'read',
  summary: 'Show how a migration went, over time',
  description:
    'Of the running or the newest migration of a source: at most 2,000 moments, fewer of them the longer it takes. None at first.',
  parameters: [sourceIndex],
};

/** Beside the contract. */
export const getMigrationTimeline: Operation = {
  ...common,
  path: '/_plugins/_aosc/_migrations/{migration_id}/_timeline',
  operationId: 'aosc_get_migration_timeline',
  role: 'read',
  summary: 'Show how one migration went, over time',
  parameters: [migrationId],
};

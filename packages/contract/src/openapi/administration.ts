import { Type } from '@sinclair/typebox';
import { CleanupLeasesAnswerSchema, ClearStateAnswerSchema } from '../answers';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { flag } from './parameters';

/** Contract, section 4; contract details, 2.5 and 2.6. */
export const cleanupLeases: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/_admin/_cleanup_leases',
  operationId: 'aosc_cleanup_leases',
  role: 'admin',
  action: 'cleanup_leases',
  tag: 'administration',
  summary: 'Remove leases that migrations have left behind',
  description: 'Only leases whose id starts with aosc-migration- are considered.',
  parameters: [
    {
      name: 'index',
      in: 'query',
      description: 'Look only at this index; otherwise at all that are open.',
      schema: Type.String({ minLength: 1 }),
    },
    flag('dry_run', true, 'List the leases and remove none.'),
    flag('include_active', false, 'Also those of migrations that have not ended.'),
  ],
  commonParameters: true,
  answers: { 200: { description: 'The leases, and which are gone.', schema: CleanupLeasesAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster],
};

export const clearState: Operation = {
  method: 'post',
  path: '/_plugins/_aosc/_admin/_clear_state',
  operationId: 'aosc_clear_cluster_state',
  role: 'admin',
  action: 'clear_state',
  tag: 'administration',
  summary: 'Drop what is kept about migrations',
  description: 'For when neither a cancel nor a failure ends a migration.',
  parameters: [
    flag('dry_run', true, 'Show what would be cleared and clear nothing.'),
    flag('try_close', true, 'End the jobs that still run.'),
    {
      name: 'migration_id',
      in: 'query',
      description: 'Clear only this migration; otherwise all.',
      schema: Type.String({ minLength: 1 }),
    },
    flag('detailed', false, 'Show what is kept about each.'),
    flag('undo', true, 'Lift the write block and give the target its settings back.'),
  ],
  commonParameters: true,
  answers: { 200: { description: 'What is, or would be, cleared.', schema: ClearStateAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'conflict'],
};

import { Type } from '@sinclair/typebox';
import {
  CleanupLeasesAnswerSchema,
  ClearStateAnswerSchema,
  SettingsAnswerSchema,
  SettingsChangedAnswerSchema,
} from '../answers';
import { ok, type Operation, operation, type Parameter } from './operation';
import { flag } from './parameters';
import { SettingsRequestSchema } from './settings-request';

const named = (name: string, description: string): Parameter => {
  return { name, in: 'query', description, schema: Type.String({ minLength: 1 }) };
};
const byHand = { role: 'admin', tag: 'administration' } as const;
const flat = flag('flat_settings', false, 'Full names instead of nested objects.');
/** Time-outs that clients of OpenSearch send with its own `/_cluster/settings`. */
const timeouts = ['timeout', 'cluster_manager_timeout', 'master_timeout'].map((name) =>
  named(name, 'Accepted as in OpenSearch; changes nothing.'),
);

/** Contract, section 4; contract details, 2.5 and 2.6. */
export const administration: readonly Operation[] = [
  operation('post', '/_plugins/_aosc/_admin/_cleanup_leases', {
    ...byHand,
    operationId: 'aosc_cleanup_leases',
    action: 'cleanup_leases',
    summary: 'Remove leases that migrations have left behind',
    description: 'Only leases whose id starts with aosc-migration- are considered.',
    parameters: [
      named('index', 'Look only at this index; otherwise at all that are open.'),
      flag('dry_run', true, 'List the leases and remove none.'),
      flag('include_active', false, 'Also those of migrations that have not ended.'),
    ],
    answers: ok('The leases, and which are gone.', CleanupLeasesAnswerSchema),
  }),
  operation(
    'post',
    '/_plugins/_aosc/_admin/_clear_state',
    {
      ...byHand,
      operationId: 'aosc_clear_cluster_state',
      action: 'clear_state',
      summary: 'Drop what is kept about migrations',
      description: 'For when neither a cancel nor a failure ends a migration.',
      parameters: [
        flag('dry_run', true, 'Show what would be cleared and clear nothing.'),
        flag('try_close', true, 'End the jobs that still run.'),
        named('migration_id', 'Clear only this migration; otherwise all.'),
        flag('detailed', false, 'Show what is kept about each.'),
        flag('undo', true, 'Lift the write block and give the target its settings back.'),
      ],
      answers: ok('What is, or would be, cleared.', ClearStateAnswerSchema),
    },
    ['conflict'],
  ),
  operation('get', '/_cluster/settings', {
    operationId: 'aosc_get_settings',
    tag: 'settings',
    summary: 'Show the aosc.* settings',
    parameters: [
      flag('include_defaults', false, 'Show the settings that are not set with their defaults.'),
      flat,
      ...timeouts,
    ],
    answers: ok('What is set.', SettingsAnswerSchema),
  }),
  operation(
    'put',
    '/_cluster/settings',
    {
      operationId: 'aosc_put_settings',
      role: 'admin',
      action: 'change_settings',
      tag: 'settings',
      summary: 'Change aosc.* settings while everything runs',
      description:
        'transient wins over persistent. null resets, with a wildcard many at once. One wrong setting refuses the whole request.',
      parameters: [flat, ...timeouts],
      body: { schema: SettingsRequestSchema, description: 'What to set, by scope.' },
      answers: ok('What this request has set.', SettingsChangedAnswerSchema),
    },
    ['validation_failed', 'conflict'],
  ),
];

import { SettingsAnswerSchema, SettingsChangedAnswerSchema } from '../answers';
import { errorsOfCluster, errorsOfEveryRequest, type Operation } from './operation';
import { flag } from './parameters';
import { SettingsRequestSchema } from './settings-request';

const path = '/_cluster/settings';
const flat = flag('flat_settings', false, 'Full names instead of nested objects.');

export const getSettings: Operation = {
  method: 'get',
  path,
  operationId: 'aosc_get_settings',
  role: 'read',
  tag: 'settings',
  summary: 'Show the aosc.* settings',
  parameters: [
    flag('include_defaults', false, 'Show the settings that are not set with their defaults.'),
    flat,
  ],
  commonParameters: true,
  answers: { 200: { description: 'What is set.', schema: SettingsAnswerSchema } },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster],
};

export const putSettings: Operation = {
  method: 'put',
  path,
  operationId: 'aosc_put_settings',
  role: 'admin',
  action: 'change_settings',
  tag: 'settings',
  summary: 'Change aosc.* settings while everything runs',
  description:
    'transient wins over persistent. null resets, with a wildcard many at once. One wrong setting refuses the whole request.',
  parameters: [flat],
  commonParameters: true,
  body: { schema: SettingsRequestSchema, description: 'What to set, by scope.' },
  answers: {
    200: {
      description: 'What this request has set.',
      schema: SettingsChangedAnswerSchema,
    },
  },
  errors: [...errorsOfEveryRequest, ...errorsOfCluster, 'validation_failed', 'conflict'],
};

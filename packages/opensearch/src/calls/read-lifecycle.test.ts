import { policyIn } from './read-lifecycle';

const policy = 'index.plugins.index_state_management.policy_id';

test.each([
  [
    'managed',
    { logs: { [policy]: 'rollover', policy_id: 'rollover' }, total_managed_indices: 1 },
    'rollover',
  ],
  ['by an older plugin', { logs: { 'index.opendistro.index_state_management.policy_id': 'old' } }, 'old'],
  ['not managed', { logs: { [policy]: null, enabled: null }, total_managed_indices: 0 }, undefined],
  ['another index', { metrics: { [policy]: 'rollover' } }, undefined],
])('an index in an answer of the plugin: %s', (_, answer, expected) => {
  expect(policyIn(answer, 'logs')).toBe(expected);
});

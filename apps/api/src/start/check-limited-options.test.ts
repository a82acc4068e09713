import { checkLimitedOptions } from './check-limits';

const yardstick = { source: { shardCount: 1, settings: {} }, defaults: {} };
const limited = { id: 'api_key a', isLimited: true, mayTransform: false };
const check =
  (options: object, caller = limited) =>
  () =>
    checkLimitedOptions({ options }, yardstick, caller);

test('a limited credential waits for its target for a week at the most, and others as long as they want', () => {
  expect(check({ target_ready_timeout_seconds: 604_800 })).not.toThrow();
  const wait = { target_ready_timeout_seconds: 2_000_000_000 };
  expect(check(wait)).toThrow(/\[api_key a\] may not give .* at most \[604800\].*ask an administrator/);
  expect(check(wait, { ...limited, isLimited: false })).not.toThrow();
});

test.each([
  { 'index.number_of_replicas': 990 },
  { 'index.auto_expand_replicas': '0-all' },
  { 'index.indexing.slowlog.threshold.index.trace': '0ms' },
  { 'index.default_pipeline': 'of-others' },
  { 'index.routing.allocation.require._name': 'reserved' },
])('%j is not for a limited credential to set while a target is filled', (transient_target_settings) => {
  const options = { transient_target_settings };
  expect(check(options)).toThrow(/^\[api_key a\] may not .*sk an administrator/);
  expect(check(options, { ...limited, isLimited: false })).not.toThrow();
});

test('the service’s own defaults are', () => {
  const transient_target_settings = { 'index.number_of_replicas': '0', 'index.refresh_interval': '-1' };
  expect(check({ transient_target_settings })).not.toThrow();
  expect(() => checkLimitedOptions({ options: undefined }, yardstick, limited)).not.toThrow();
});

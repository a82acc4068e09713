import { parseSetting, settingKeys, settingsTable, isSettingKey, AoscError, settingText } from '.';
import type { SettingKey } from '.';

const backfill = 'aosc.backfill.controller.';
const refusal = (key: SettingKey, value: unknown): string => {
  try {
    parseSetting(key, value);
  } catch (error) {
    if (error instanceof AoscError && error.code === 'illegal_argument') return error.message;
    throw error;
  }
  throw new Error(`${key} accepted ${settingText(value)}`);
};

test.each<[SettingKey, unknown, unknown]>([
  ['aosc.defaults.convergence_threshold', 0, 0],
  ['aosc.defaults.convergence_threshold', '1000000', 1_000_000],
  [`${backfill}aimd.increase_ratio`, 0.01, 0.01],
  [`${backfill}aimd.increase_ratio`, '1', 1],
  [`${backfill}aimd.trial_revert_threshold`, '1e-1', 0.1],
  ['aosc.liveness.check_interval', '5s', 5000],
  ['aosc.liveness.check_interval', '5000 MS', 5000],
  ['aosc.liveness.check_interval', '5000000micros', 5000],
  ['aosc.liveness.check_interval', '5000000000nanos', 5000],
  ['aosc.liveness.timeout', '2m', 120_000],
  ['aosc.target.ready_timeout', '4H', 14_400_000],
  ['aosc.target.ready_timeout', '2d', 172_800_000],
  [`${backfill}batch.max_bytes`, '512MB', 536_870_912],
  [`${backfill}batch.max_bytes`, '1048576b', 1_048_576],
  [`${backfill}batch.min_bytes`, '1k', 1024],
  [`${backfill}batch.min_bytes`, ' 2 Kb ', 2048],
  [`${backfill}overload.base_pause`, 2500, 2500],
  [`${backfill}overload.base_pause`, '2500', 2500],
  [`${backfill}overload.base_pause`, '2000ms', 2000],
  [`${backfill}overload.max_pause`, '10m', 600_000],
  ['aosc.defaults.remove_source_write_block_on_success', true, true],
  ['aosc.defaults.remove_source_write_block_on_success', 'false', false],
  ['aosc.backfill.controller.type', 'Adaptive', 'adaptive'],
  ['aosc.replay.controller.type', 'FIXED', 'fixed'],
  [
    'aosc.defaults.transient_target_settings',
    '{"index.refresh_interval":"-1"}',
    { 'index.refresh_interval': '-1' },
  ],
  ['aosc.defaults.transient_target_settings', { 'index.a': null }, { 'index.a': null }],
  ['aosc.defaults.transient_target_settings', ' ', {}],
  ['aosc.defaults.transient_target_settings', '{}', {}],
])('%s takes %j', (key, value, expected) => {
  expect(parseSetting(key, value)).toEqual(expected);
});

test.each<[SettingKey, unknown, string]>([
  [`${backfill}batch.size`, 0, `Failed to parse value [0] for setting [${backfill}batch.size] must be >= 1`],
  [
    `${backfill}batch.size`,
    '50001',
    `Failed to parse value [50001] for setting [${backfill}batch.size] must be <= 50000`,
  ],
  [`${backfill}batch.size`, 'many', `Failed to parse value [many] for setting [${backfill}batch.size]`],
  [`${backfill}batch.size`, 1.5, `Failed to parse value [1.5] for setting [${backfill}batch.size]`],
  [`${backfill}batch.size`, [1], `Failed to parse value [[1]] for setting [${backfill}batch.size]`],
  [
    `${backfill}batch.size`,
    '99999999999',
    `Failed to parse value [99999999999] for setting [${backfill}batch.size]`,
  ],
  [`${backfill}batch.size`, true, `Failed to parse value [true] for setting [${backfill}batch.size]`],
  [
    `${backfill}aimd.increase_ratio`,
    1.01,
    `Failed to parse value [1.01] for setting [${backfill}aimd.increase_ratio] must be <= 1.0`,
  ],
  [
    `${backfill}aimd.increase_ratio`,
    'NaN',
    `Failed to parse value [NaN] for setting [${backfill}aimd.increase_ratio]`,
  ],
  [
    `${backfill}aimd.increase_ratio`,
    '.',
    `Failed to parse value [.] for setting [${backfill}aimd.increase_ratio]`,
  ],
  [
    'aosc.liveness.check_interval',
    '4s',
    'failed to parse value [4s] for setting [aosc.liveness.check_interval], must be >= [5s]',
  ],
  [
    'aosc.liveness.check_interval',
    30,
    'failed to parse setting [aosc.liveness.check_interval] with value [30] as a time value: unit is missing or unrecognized',
  ],
  [
    'aosc.liveness.check_interval',
    '1M',
    'failed to parse setting [aosc.liveness.check_interval] with value [1M] as a time value: unit is missing or unrecognized',
  ],
  [
    'aosc.liveness.check_interval',
    '1.5m',
    'failed to parse [1.5m], fractional time values are not supported',
  ],
  [
    'aosc.liveness.check_interval',
    '-5s',
    'failed to parse setting [aosc.liveness.check_interval] with value [-5s] as a time value: negative durations are not supported',
  ],
  [
    'aosc.liveness.timeout',
    '0',
    'failed to parse value [0] for setting [aosc.liveness.timeout], must be >= [10s]',
  ],
  [
    `${backfill}batch.max_bytes`,
    '1023kb',
    `failed to parse value [1023kb] for setting [${backfill}batch.max_bytes], must be >= [1mb]`,
  ],
  [
    `${backfill}batch.max_bytes`,
    '1gb',
    `failed to parse value [1gb] for setting [${backfill}batch.max_bytes], must be <= [512mb]`,
  ],
  [
    `${backfill}batch.max_bytes`,
    104857600,
    `failed to parse setting [${backfill}batch.max_bytes] with value [104857600] as a size in bytes: unit is missing or unrecognized`,
  ],
  [
    `${backfill}batch.max_bytes`,
    '1.5mb',
    `Failed to parse bytes value [1.5mb]. Use non-fractional bytes values instead: found for setting [${backfill}batch.max_bytes]`,
  ],
  [
    `${backfill}batch.max_bytes`,
    '10zb',
    `Failed to parse value [10zb] for setting [${backfill}batch.max_bytes]`,
  ],
  [
    `${backfill}overload.base_pause`,
    99,
    `Failed to parse value [99] for setting [${backfill}overload.base_pause] must be >= 100`,
  ],
  [
    `${backfill}overload.max_pause`,
    '11m',
    `failed to parse value [11m] for setting [${backfill}overload.max_pause], must be <= [600000ms]`,
  ],
  [
    'aosc.defaults.remove_source_write_block_on_success',
    1,
    'Failed to parse value [1] as only [true] or [false] are allowed.',
  ],
  [
    'aosc.replay.controller.type',
    'Adaptive',
    "Replay controller does not support 'adaptive' — use 'fixed' or 'adaptive_batch'",
  ],
  [
    'aosc.backfill.controller.type',
    'constructor',
    'Failed to parse value [constructor] for setting [aosc.backfill.controller.type] must be one of [fixed, adaptive_batch, adaptive]',
  ],
  [
    'aosc.defaults.transient_target_settings',
    '{"index.a":1,"refresh_interval":"-1"}',
    "transient_target_settings keys must start with 'index.', got 'refresh_interval'",
  ],
])('%s refuses %j', (key, value, reason) => {
  expect(refusal(key, value)).toBe(reason);
});

test.each(['{"index.a":', '[]', '"text"', 'null', '{"index.a":{"b":1}}'])(
  'transient_target_settings refuses %s',
  (text) => {
    expect(refusal('aosc.defaults.transient_target_settings', text)).toContain(
      'must be a JSON object of index settings',
    );
  },
);

test('all 43 settings are there; defaults and limits are values of their own settings', () => {
  expect(settingKeys).toHaveLength(43);
  for (const key of settingKeys) {
    if (!isSettingKey(key)) throw new Error(`${key} is not in the table`);
    const row = settingsTable[key];
    expect(() => parseSetting(key, row.default)).not.toThrow();
    expect(row.description).not.toBe('');
    if ('min' in row) expect(() => parseSetting(key, row.min)).not.toThrow();
    if ('max' in row) expect(() => parseSetting(key, row.max)).not.toThrow();
  }
});

test('names of the prototype are no settings', () => {
  expect(isSettingKey('constructor')).toBe(false);
  expect(isSettingKey('aosc.backfill.controller.batch.max_docs')).toBe(true);
});

test.each<[SettingKey, unknown]>([
  ['aosc.liveness.timeout', `${'9'.repeat(200)}d`],
  ['aosc.target.ready_timeout', '9007199254740992ms'],
  ['aosc.target.ready_timeout', '104249991375d'],
  [`${backfill}batch.size`, Infinity],
  [`${backfill}aimd.increase_ratio`, '1e400'],
  [`${backfill}batch.max_bytes`, `${'9'.repeat(200)}pb`],
  [`${backfill}overload.max_pause`, 2 ** 53],
])('%s refuses %p: no number is kept that is not exact', (key, value) => {
  expect(refusal(key, value)).toMatch(/^failed to parse/i);
});

test('the longest time there is', () => {
  expect(parseSetting('aosc.target.ready_timeout', '9007199254740991ms')).toBe(Number.MAX_SAFE_INTEGER);
});

test('a value beside a name with a line break is looked at, too', () => {
  const key = 'aosc.defaults.transient_target_settings';
  expect(refusal(key, '{"index.\\n":{}}')).toContain('must be a JSON object of index settings');
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSettingKey, parseSetting } from '@aosc/contract';
import { effectiveSettings, findDifferences } from './effective';
import { profileNames, profiles } from './profiles';

test('the profiles are those of the page', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/how-to/tune-the-load.md'), 'utf8');
  const bodies = [...page.matchAll(/-d '(\{.*?\n\})'/gs)].map(([, body = '']) => JSON.parse(body) as unknown);
  const asTexts = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body), (_, value: unknown) =>
      typeof value === 'number' ? String(value) : value,
    );
  expect(bodies.map(asTexts)).toEqual(profileNames.map((name) => ({ persistent: profiles[name].settings })));
});

test.each(profileNames)('the API would take %s', (name) => {
  for (const [key, value] of Object.entries(profiles[name].settings)) {
    if (!isSettingKey(key)) throw new Error(`${key} is no setting`);
    parseSetting(key, value);
  }
});

const size = 'aosc.backfill.controller.batch.size';
const settings = effectiveSettings({
  persistent: { [size]: '7', 'aosc.liveness.timeout': '60s' },
  transient: { [size]: '8' },
  defaults: { 'aosc.newer': 'x' },
});

test('transient wins over persistent, and what the API does not tell has its default', () => {
  const find = (name: string) => settings.find((setting) => setting.name === name);
  expect(find(size)).toEqual({ name: size, value: '8', origin: 'transient', byDefault: '500' });
  expect(find('aosc.liveness.timeout')).toMatchObject({ value: '60s', origin: 'persistent' });
  expect(find('aosc.liveness.check_interval')).toMatchObject({ value: '30s', origin: 'default' });
  expect(find('aosc.newer')).toEqual({
    name: 'aosc.newer',
    value: 'x',
    origin: 'default',
    byDefault: undefined,
  });
});

test('differences to the defaults, and to a profile', () => {
  expect(findDifferences(settings, undefined)).toEqual([
    { name: size, value: '8', wanted: '500' },
    { name: 'aosc.liveness.timeout', value: '60s', wanted: '300s' },
  ]);
  expect(findDifferences(settings, { [size]: '8' })).toEqual([]);
});

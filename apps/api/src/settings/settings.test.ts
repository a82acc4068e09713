import { AoscError, settingKeys } from '@aosc/contract';
import { applySettingsChange, noSettings, readSettingsChange } from './change-settings';
import { renderSettings } from './render-settings';
import { flattenSettings, nestSettings } from './setting-tree';

const size = 'aosc.backfill.read.page_size';
const nothing = { persistent: {}, transient: {} };

function change(body: unknown, before = noSettings) {
  return applySettingsChange(before, readSettingsChange(body));
}

test('nested, dotted and mixed names are the same', () => {
  const expected = new Map([[size, 5]]);
  for (const given of [
    { [size]: 5 },
    { aosc: { backfill: { read: { page_size: 5 } } } },
    { 'aosc.backfill': { 'read.page_size': 5 } },
  ]) {
    expect(flattenSettings(given)).toEqual(expected);
  }
});

test('the value of a JSON setting stays whole', () => {
  const value = { 'index.number_of_replicas': '0' };
  const name = 'aosc.defaults.transient_target_settings';
  expect(flattenSettings({ aosc: { defaults: { transient_target_settings: value } } })).toEqual(
    new Map([[name, value]]),
  );
  expect(change({ persistent: { [name]: value } }).after.persistent).toEqual({
    [name]: JSON.stringify(value),
  });
});

test('a name that is a value and a prefix as well is printed as OpenSearch prints it', () => {
  const nested = nestSettings({
    'aosc.backfill.controller.concurrency.max': '8',
    'aosc.backfill.controller.concurrency': '1',
    'aosc.backfill.controller.batch.size': '5',
  });
  expect(JSON.parse(JSON.stringify(nested))).toEqual({
    aosc: { backfill: { controller: { batch: { size: '5' }, concurrency: '1', 'concurrency.max': '8' } } },
  });
});

test('setting, overriding and resetting', () => {
  const first = change({ persistent: { [size]: 5 }, transient: { [size]: '7' } });
  expect(first.after).toMatchObject({ persistent: { [size]: '5' }, transient: { [size]: '7' } });
  expect(first.applied).toEqual({ persistent: { [size]: '5' }, transient: { [size]: '7' } });
  const second = change({ transient: { [size]: null } }, first.after);
  expect(second.after).toMatchObject({ persistent: { [size]: '5' }, transient: {} });
  expect(second.applied).toEqual(nothing);
});

test('null with a wildcard resets many', () => {
  const before = change({
    persistent: { [size]: 5, 'aosc.backfill.max_concurrent_per_node': 1, 'aosc.liveness.timeout': '20s' },
  }).after;
  const { after } = change({ persistent: { 'aosc.backfill.*': null } }, before);
  expect(after.persistent).toEqual({ 'aosc.liveness.timeout': '20s' });
});

test.each([
  [{ persistent: { [size]: 0 } }, 'must be >= 1'],
  [{ persistent: { 'aosc.backfill.read.page_sise': 1 } }, `not recognized did you mean [${size}]?`],
  [
    { transient: { 'cluster.routing.allocation.enable': 'none' } },
    'this service has the aosc.* settings alone',
  ],
  [{ persistent: { 'cluster.x': null } }, 'not recognized'],
  [{ persistent: { [size]: [1] } }, 'a list is not allowed'],
  [{ persistent: [] }, '[persistent] must be an object'],
  [{ persistant: {} }, 'unknown field [persistant] -> did you mean [persistent]?'],
  [{}, 'no settings to update'],
  [undefined, 'must be a JSON object'],
  [
    { persistent: { 'aosc.replay.controller.type': 'adaptive' } },
    "Replay controller does not support 'adaptive'",
  ],
  [
    { persistent: { 'aosc.backfill.controller.concurrency': 9 } },
    '(9) must be <= [aosc.backfill.controller.concurrency.max] (8)',
  ],
])('%j is refused', (body, phrase) => {
  expect(() => change(body)).toThrow(AoscError);
  expect(() => change(body)).toThrow(phrase);
});

test('both sides of a contradiction may be set together, in either scope', () => {
  const body = {
    persistent: { 'aosc.backfill.controller.concurrency.max': 16 },
    transient: { 'aosc.backfill.controller.concurrency': 9 },
  };
  expect(() => change(body)).not.toThrow();
});

test('defaults are those that are not set, flat or nested', () => {
  const { after } = change({ persistent: { [size]: 5 } });
  const flat = renderSettings(after, { flat: true, includeDefaults: true });
  expect(flat['persistent']).toEqual({ [size]: '5' });
  expect(Object.keys(flat['defaults'] ?? {}).sort()).toEqual(
    settingKeys.filter((key) => key !== size).sort(),
  );
  const nested = renderSettings(after, { flat: false, includeDefaults: false });
  expect(JSON.parse(JSON.stringify(nested))).toEqual({
    persistent: { aosc: { backfill: { read: { page_size: '5' } } } },
    transient: {},
  });
});

test('a name like __proto__ is a name', () => {
  expect(() => change(JSON.parse('{"persistent":{"__proto__":{"x":1}}}'))).toThrow(
    '[__proto__.x], not recognized',
  );
});

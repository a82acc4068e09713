import { AoscError, settingKeys } from '@aosc/contract';
import { applySettingsChange, noSettings, readSettingsChange, renderSettings } from './change-settings';
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
    'this service has only the aosc.* settings',
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

describe('hostile changes', () => {
  const reasonFor = (body: unknown): string => {
    try {
      change(body);
    } catch (error) {
      if (error instanceof AoscError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  test('a pattern of many wildcards costs no more than its length', () => {
    const { after } = change({
      persistent: { [`${'*a'.repeat(100)}*x`]: null, [`${'*'.repeat(200)}x`]: null },
    });
    expect(after.persistent).toEqual({});
  });

  test.each(['1', '1.', ' ', 'aosc.', '*'])('a megabyte of %j is neither a value nor a name', (part) => {
    const long = `${part.repeat(2 ** 20 / part.length)}x`;
    for (const name of settingKeys) {
      if (name === 'aosc.defaults.transient_target_settings') continue;
      expect(reasonFor({ persistent: { [name]: long } })).toContain('Failed to parse value');
    }
    expect(reasonFor({ persistent: { [long]: null } })).toContain('is too long for the name of a setting');
    const json = { 'aosc.defaults.transient_target_settings': long };
    expect(reasonFor({ persistent: json }).length).toBeLessThan(1000);
  });

  test('more settings than there are', () => {
    const names = Array.from({ length: 1001 }, (_, i) => [`*${i}`, null] as const);
    expect(reasonFor({ transient: Object.fromEntries(names) })).toBe(
      'more than 1000 settings in one request',
    );
  });

  test('names of which each level has a value', () => {
    let tree: object = {};
    for (let level = 0; level < 150; level += 1) tree = { [`level${level}`]: tree, value: 1 };
    expect(reasonFor({ persistent: tree })).toContain('is too long for the name of a setting');
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is no setting', (name) => {
    const body: unknown = JSON.parse(`{"persistent":{"${name}":{"polluted":1},"aosc":{"${name}":1}}}`);
    expect(reasonFor(body)).toContain('not recognized');
    const field: unknown = JSON.parse(`{"${name}":{}}`);
    expect(reasonFor(field)).toBe(`unknown field [${name}]`);
    expect({}).not.toHaveProperty('polluted');
  });
});

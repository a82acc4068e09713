import { compareDefinitions } from './compare-definitions';
import { withoutBorrowed } from './inherited-settings';
import { mergePatch } from './merge-patch';
import { planTarget } from './plan-target';
import { readTargetRequest } from './target-request';

const source = {
  settings: {
    'index.uuid': 'u',
    'index.creation_date': '1',
    'index.provided_name': 'books',
    'index.version.created': '136',
    'index.number_of_shards': '2',
    'index.number_of_replicas': '1',
    'index.blocks.write': 'true',
    'index.translog.durability': 'async',
    'index.plugins.index_state_management.rollover_alias': 'books',
    'index.sort.field': ['a', 'b'],
    'archived.index.old': '1',
  },
  mappings: { dynamic: 'strict', properties: { title: { type: 'text' }, year: { type: 'integer' } } },
  shardCount: 2,
  routingShardCount: 1024,
};
const nothing = { shardCount: undefined, settings: {}, mappings: {} };

test('the target gets what the source has, but for what says which index it is and what would do harm', () => {
  const { definition, leftOut, shardCount } = planTarget(source, nothing);
  expect(shardCount).toBe(2);
  expect(definition).toEqual({
    settings: {
      'index.number_of_shards': '2',
      'index.number_of_routing_shards': '1024',
      'index.number_of_replicas': '1',
      'index.sort.field': ['a', 'b'],
    },
    mappings: source.mappings,
  });
  expect(leftOut.map(({ setting }) => setting)).toEqual([
    'index.blocks.write',
    'index.translog.durability',
    'index.plugins.index_state_management.rollover_alias',
    'archived.index.old',
  ]);
});

test('more shards keep the ring of routing shards where it fits, and give it up where it does not', () => {
  const ring = { ...source.settings, 'index.number_of_routing_shards': '1024' };
  const four = planTarget({ ...source, settings: ring }, { ...nothing, shardCount: 4 });
  expect(four.definition.settings).toMatchObject({
    'index.number_of_shards': '4',
    'index.number_of_routing_shards': '1024',
  });
  const three = planTarget({ ...source, settings: ring }, { ...nothing, shardCount: 3 });
  expect(three.definition.settings).not.toHaveProperty(['index.number_of_routing_shards']);
  expect(three.leftOut).toContainEqual({
    setting: 'index.number_of_routing_shards',
    reason: '"1024" is no multiple of 3 shards',
  });
});

test('virtual shards stay where they fit, and are the ring in effect', () => {
  const settings = { ...source.settings, 'index.number_of_virtual_shards': '8' };
  const four = planTarget({ ...source, settings, routingShardCount: 8 }, { ...nothing, shardCount: 4 });
  expect(four.definition.settings).toMatchObject({
    'index.number_of_routing_shards': '8',
    'index.number_of_virtual_shards': '8',
  });
  const three = planTarget({ ...source, settings, routingShardCount: 8 }, { ...nothing, shardCount: 3 });
  expect(three.definition.settings).not.toHaveProperty(['index.number_of_virtual_shards']);
  expect(three.leftOut).toContainEqual({
    setting: 'index.number_of_virtual_shards',
    reason: '"8" is no multiple of 3 shards',
  });
});

test('edits change, add and remove', () => {
  const { definition } = planTarget(source, {
    shardCount: undefined,
    settings: { 'index.number_of_replicas': null, 'index.refresh_interval': '5s' },
    mappings: { properties: { year: null, title: { fields: { raw: { type: 'keyword' } } } } },
  });
  expect(definition.settings).not.toHaveProperty(['index.number_of_replicas']);
  expect(definition.settings).toHaveProperty(['index.refresh_interval'], '5s');
  expect(definition.mappings).toEqual({
    dynamic: 'strict',
    properties: { title: { type: 'text', fields: { raw: { type: 'keyword' } } } },
  });
});

test('a merge patch names what every object has as well, and changes nothing but its value', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":null}}');
  const merged = mergePatch({}, patch);
  expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1},"constructor":{}}');
  expect(Reflect.get({}, 'a')).toBeUndefined();
});

test('the diff names each leaf once, by its path, and neither identity nor the form of a value', () => {
  const target = {
    settings: { 'index.uuid': 'other', 'index.number_of_shards': 4, 'index.number_of_replicas': '1' },
    mappings: { dynamic: 'strict', properties: { title: { type: 'keyword' }, isbn: { type: 'keyword' } } },
  };
  const settings = { 'index.uuid': 'u', 'index.number_of_shards': '2', 'index.number_of_replicas': '1' };
  expect(compareDefinitions({ settings, mappings: source.mappings }, target)).toEqual({
    changes: [
      { path: 'settings.index.number_of_shards', source: '2', target: '4' },
      { path: 'mappings.properties.isbn', target: { type: 'keyword' } },
      { path: 'mappings.properties.title.type', source: 'text', target: 'keyword' },
      { path: 'mappings.properties.year', source: { type: 'integer' } },
    ],
    truncated: false,
  });
});

test('a diff has an end', () => {
  const settings = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`index.a.${n}`, '1']));
  const { changes, truncated } = compareDefinitions(
    { settings, mappings: {} },
    { settings: {}, mappings: {} },
  );
  expect([changes.length, truncated]).toEqual([1_000, true]);
});

describe('a request', () => {
  const read = (body: unknown, from = 'books') => readTargetRequest(from, body, []);

  test('is read', () => {
    expect(read({ target_index: 'books-2', number_of_shards: 4, settings: null })).toEqual({
      source: 'books',
      target: 'books-2',
      shardCount: 4,
      settings: {},
      mappings: {},
    });
  });

  test.each<[string, unknown, string]>([
    ['without a target', {}, 'target_index is required'],
    ['into itself', { target_index: 'books' }, 'must be different'],
    ['with a name no index can have', { target_index: 'Books*' }, 'is not a name an index can have'],
    ['with a name of the service', { target_index: '.aosc-x' }, 'is a name of the service itself'],
    ['with a hidden name', { target_index: '.books' }, 'is hidden'],
    ['with an unknown field', { target_index: 'b', maping: {} }, 'did you mean [mappings]?'],
    [
      'with shards by setting',
      { target_index: 'b', settings: { 'index.number_of_shards': 3 } },
      'use number_of_shards',
    ],
    ['with a block', { target_index: 'b', settings: { 'index.blocks.write': true } }, 'index.blocks.write'],
    [
      'with a setting whose name hides a line',
      { target_index: 'b', settings: { 'index.similarity.x\ny.script.source': 'a' } },
      'settings must not have',
    ],
    [
      'with a file of the node',
      { target_index: 'b', settings: { 'index.analysis.char_filter.c.mappings_path': 'opensearch.yml' } },
      'reads a file of the node',
    ],
    ...['language', 'lang'].flatMap((name): [string, unknown, string][] =>
      [{}, { 'index.analysis.filter.f.type': 'hunspell' }].map((type) => [
        `with the ${name} of a filter that may be of Hunspell ${JSON.stringify(type)}`,
        { target_index: 'b', settings: { ...type, [`index.analysis.filter.f.${name}`]: '../..' } },
        'reads a file of the node',
      ]),
    ),
    [
      'with names of a thousand levels',
      {
        target_index: 'b',
        mappings: { properties: { [Array(1_000).fill('a').join('.')]: { type: 'long' } } },
      },
      'deeper than 250 levels',
    ],
    ['with no shards', { target_index: 'b', number_of_shards: 0 }, 'number_of_shards must be >= 1'],
    ['with too many', { target_index: 'b', number_of_shards: 1025 }, 'number_of_shards must be <= 1024'],
    [
      'with a number that is changed',
      { target_index: 'b', mappings: { a: 2 ** 60 } },
      "can't be passed on exactly",
    ],
    ['that is a list', [], 'must be a JSON object'],
  ])('%s is refused', (_what, body, phrase) => {
    expect(() => read(body)).toThrow(phrase);
  });

  test('with the language of a stemmer is read', () => {
    const settings = {
      'index.analysis.filter.f.type': 'stemmer',
      'index.analysis.filter.f.language': 'german',
    };
    expect(read({ target_index: 'b', settings }).settings).toEqual(settings);
  });

  test('with many mistakes is answered with some of them', () => {
    const settings = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`a.${n}`, 1]));
    expect(() => read({ target_index: 'b', settings })).toThrow('80 more of the kind');
  });
});

describe('what a running migration has put on an index for a while', () => {
  const settings = {
    'index.number_of_replicas': '0',
    'index.refresh_interval': '-1',
    'index.gc_deletes': '0s',
    'index.write.wait_for_active_shards': 'all',
    'index.codec': 'zstd',
  };
  const migration = {
    sourceUuid: 's',
    targetUuid: 't',
    targetOriginals: {
      'index.number_of_replicas': '2',
      'index.refresh_interval': null,
      'index.gc_deletes': null,
    },
    writeHold: {
      requestedAtMillis: 1,
      originals: { 'index.write.wait_for_active_shards': null },
      put: { 'index.write.wait_for_active_shards': 'all' },
      givenBack: false,
    },
  };
  const { 'index.write.wait_for_active_shards': wait, ...ofTarget } = settings;

  test('a target made like its target gets the values of before', () => {
    expect(withoutBorrowed(settings, 't', migration)).toEqual({
      'index.number_of_replicas': '2',
      'index.write.wait_for_active_shards': wait,
      'index.codec': 'zstd',
    });
  });

  test('a target made like its source gets none of the hold', () => {
    expect(withoutBorrowed(settings, 's', migration)).toEqual(ofTarget);
  });

  test('a hold that was given back, or another index of the name, changes nothing', () => {
    const writeHold = { ...migration.writeHold, givenBack: true };
    expect(withoutBorrowed(settings, 's', { ...migration, writeHold })).toEqual(settings);
    expect(withoutBorrowed(settings, 'x', migration)).toEqual(settings);
  });
});

import { selectTemplates } from './matching-templates';
import { withTemplates } from './with-templates';

const composable = (name: string, patterns: readonly string[], priority = 0) => {
  return { name, patterns, priority, makesStreams: false };
};
const legacy = (name: string, patterns: readonly string[], order = 0) => {
  return { name, patterns, order, settings: {}, mappings: {}, aliases: [] };
};
const select = (
  templates: Partial<Parameters<typeof selectTemplates>[0]>,
  name: string,
  isHidden = false,
) => {
  const found = selectTemplates({ composable: [], legacy: [], ...templates }, { name, isHidden });
  return [...(found.composable === undefined ? [] : [found.composable]), ...found.legacy].map(
    (each) => each.name,
  );
};

test('of composable templates the highest priority counts alone, and no legacy one beside it', () => {
  const templates = {
    composable: [
      composable('low', ['a-*'], 1),
      composable('high', ['a-b*'], 2),
      composable('other', ['b'], 9),
    ],
    legacy: [legacy('old', ['*'])],
  };
  expect(select(templates, 'a-b-c')).toEqual(['high']);
  expect(select(templates, 'a-c')).toEqual(['low']);
  expect(select(templates, 'c')).toEqual(['old']);
});

test('legacy templates count together, the highest order last', () => {
  const templates = {
    legacy: [legacy('second', ['x*'], 2), legacy('first', ['*'], 1), legacy('none', ['y'])],
  };
  expect(select(templates, 'x1')).toEqual(['first', 'second']);
});

test('what is for every index spares a hidden one', () => {
  const templates = { composable: [composable('all', ['a*', '*'])], legacy: [legacy('old', ['a*'])] };
  expect(select(templates, 'a1')).toEqual(['all']);
  expect(select(templates, 'a1', true)).toEqual(['old']);
});

test('a definition wins over templates, field by field', () => {
  const own = {
    settings: { 'index.codec': 'default' },
    mappings: {
      dynamic: 'strict',
      properties: { a: { type: 'text' }, o: { properties: { x: { type: 'long' } } } },
    },
  };
  const gifts = [
    { settings: { codec: 'best_compression', index: { hidden: 'true' } }, mappings: { dynamic: false } },
    {
      settings: { 'index.codec': 'zstd' },
      mappings: {
        _meta: { by: 'template' },
        properties: {
          a: { type: 'keyword', ignore_above: 5 },
          b: { type: 'ip' },
          o: { properties: { y: { type: 'ip' } } },
        },
      },
    },
  ];
  expect(withTemplates(own, gifts)).toEqual({
    settings: { 'index.codec': 'default', 'index.hidden': 'true' },
    mappings: {
      dynamic: 'strict',
      _meta: { by: 'template' },
      properties: {
        a: { type: 'text' },
        b: { type: 'ip' },
        o: { properties: { x: { type: 'long' }, y: { type: 'ip' } } },
      },
    },
  });
});

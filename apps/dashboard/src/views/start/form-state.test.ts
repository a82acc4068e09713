import { createOpenApiDocument } from '@aosc/contract';
import { optionDefaults, optionWords } from '../../explain/option-names';
import { schemasOf } from '../../schema/value-schemas';
import { emptyForm, type FormContext, problemsOf, startRequestOf, targetRequestOf } from './form-state';

const schemas = schemasOf(createOpenApiDocument()).options;
const defaults = optionDefaults([
  { name: 'aosc.defaults.convergence_threshold', value: '500', isTransient: false },
  { name: 'aosc.target.ready_timeout', value: '4h', isTransient: false },
]);
const context: FormContext = { schemas, defaults, aliases: ['books', 'all'] };
const form = { ...emptyForm, source: 'books-1', target: ' books-2 ', alias: 'books' };
const problems = (parts: Partial<typeof emptyForm>) =>
  Object.fromEntries(problemsOf({ ...form, ...parts }, context));
const request = (parts: Partial<typeof emptyForm>) => startRequestOf({ ...form, ...parts }, context);

test('every option of the API has its words', () => {
  expect([...Object.keys(optionWords), 'copy', 'create_alias'].sort()).toEqual([...schemas.keys()].sort());
});

test('defaults are those of the settings in force; times become seconds', () => {
  expect(defaults.get('convergence_threshold_per_shard')).toBe('500');
  expect(defaults.get('target_ready_timeout_seconds')).toBe('14400');
  expect(defaults.get('doc_count_tolerance')).toBe('0');
});

test('a form without mistakes is a request; a default that was typed is not sent', () => {
  expect(problems({})).toEqual({});
  const options = new Map([
    ['doc_count_tolerance', '5'],
    ['convergence_threshold_per_shard', '500'],
    ['remove_source_write_block_on_success', 'true'],
    ['validation_query', '{"match_all":{}}'],
  ]);
  expect(request({ options })).toEqual({
    target_index: 'books-2',
    alias: 'books',
    options: {
      doc_count_tolerance: 5,
      remove_source_write_block_on_success: true,
      validation_query: { match_all: {} },
    },
  });
});

test('an alias that is not on the source is a problem, unless the swap may create it', () => {
  expect(problems({ alias: 'boks' })).toEqual({ alias: 'is not on books-1, whose aliases are books, all' });
  expect(problems({ alias: 'boks', createsAlias: true })).toEqual({});
  expect(request({ alias: 'boks', createsAlias: true })).toMatchObject({ options: { create_alias: true } });
});

test('what is missing or wrong is named by its field', () => {
  const options = new Map([['doc_count_tolerance', 'many']]);
  expect(problems({ source: '', target: '', alias: '', shards: '0', settings: '[', options })).toEqual({
    source: 'is required',
    target: 'is required',
    alias: 'is required',
    shards: 'must be a number from 1 to 1024',
    settings: 'is not a JSON object of settings by full name',
    'options.doc_count_tolerance': 'must be a number',
  });
  expect(problems({ target: 'books-1' })).toEqual({ target: 'is the source itself' });
});

test('the target is made with what differs from the source', () => {
  const parts = { shards: '4', settings: '{"index.number_of_replicas":1}', mappings: '' };
  expect(targetRequestOf({ ...form, ...parts })).toEqual({
    target_index: 'books-2',
    number_of_shards: 4,
    settings: { 'index.number_of_replicas': 1 },
  });
});

test('a target of files is made by the start itself, and only where one is made', () => {
  const parts = { shards: '4', settings: '{"index.codec":"best_compression"}', byFiles: true };
  expect(request(parts)).toEqual({
    target_index: 'books-2',
    alias: 'books',
    options: { copy: 'files' },
    create_target: { number_of_shards: 4, settings: { 'index.codec': 'best_compression' } },
  });
  expect(request({ ...parts, makesTarget: false })).toEqual({ target_index: 'books-2', alias: 'books' });
});

test('a script comes with its parameters', () => {
  expect(request({ script: 'x', scriptParams: '{"a":1}' }).transform_script).toEqual({
    type: 'inline',
    source: 'x',
    params: { a: 1 },
  });
  expect(problems({ script: 'x', scriptParams: '[1]' })).toEqual({ scriptParams: 'is not a JSON object' });
  expect(request({ scriptParams: '{"a":1}' })).not.toHaveProperty('transform_script');
});

test('a decimal that JavaScript would make an integer of is told, and a decimal that stays is not', () => {
  const problemOf = (scriptParams: string) => problems({ script: 'x', scriptParams })['scriptParams'];
  expect(problemOf('{"a":[1,{"b":2.0}]}')).toContain('2.0');
  expect(problemOf('{"a":1e3}')).toContain('1e3');
  expect(problemOf('{"a":1.19,"2.0":"2.0","b":"\\"2.0"}')).toBeUndefined();
});

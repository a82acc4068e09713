import { createOpenApiDocument, settingKeys } from '@aosc/contract';
import { describeRange, problemOf, schemasOf } from './value-schemas';

const { options, settings } = schemasOf(createOpenApiDocument());

test("the API's document has every setting, and the options of a start", () => {
  expect([...settings.keys()].sort()).toEqual([...settingKeys].sort());
  expect(options.get('doc_count_tolerance')).toMatchObject({ types: ['integer'], minimum: 0, fallback: '0' });
  expect(describeRange(settings.get('aosc.backfill.read.page_size') ?? { description: '', types: [] })).toBe(
    '1 to 50,000',
  );
});

test.each([
  ['aosc.backfill.read.page_size', '0', 'must be at least 1'],
  ['aosc.backfill.read.page_size', '50001', 'must be at most 50000'],
  ['aosc.backfill.read.page_size', 'many', 'must be a number'],
  ['aosc.backfill.read.page_size', '1.5', 'must be a whole number'],
  ['aosc.backfill.read.page_size', '', undefined],
  ['aosc.backfill.controller.aimd.increase_ratio', '0.5', undefined],
  ['aosc.backfill.controller.batch.max_bytes', '100', 'must be a size, such as 512kb or 100mb'],
  ['aosc.backfill.controller.batch.max_bytes', '64mb', undefined],
  ['aosc.liveness.timeout', 'soon', 'must be a time, such as 30s or 4h'],
  ['aosc.liveness.timeout', '5m', undefined],
  ['aosc.replay.controller.type', 'adaptive', 'must be one of fixed, adaptive_batch'],
  ['aosc.defaults.remove_source_write_block_on_success', 'yes', 'must be true or false'],
  ['aosc.defaults.transient_target_settings', '[1]', 'is not a JSON object'],
])('%s: %j %s', (name, text, problem) => {
  expect(problemOf(text, settings.get(name))).toBe(problem);
});

test('an answer that is no document has no schemas', () => {
  expect(schemasOf('nothing')).toEqual({ options: new Map(), settings: new Map() });
});

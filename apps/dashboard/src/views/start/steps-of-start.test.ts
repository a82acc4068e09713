import { emptyForm } from './form-state';
import { stepsOfStart } from './steps-of-start';

test('a new target has its shards, and its likeness is no claim about those of the source', () => {
  const form = { ...emptyForm, source: 'books-1', target: 'books-2', alias: 'books', makesTarget: true };
  const target = {
    dry_run: true,
    source_index: 'books-1',
    target_index: 'books-2',
    shard_routing_mode: 'SPLIT_SHARD',
    definition: { settings: { 'index.number_of_shards': '4' }, mappings: {} },
    changes: [{ path: 'settings.index.number_of_shards', source: '2', target: '4' }],
    left_out: [],
  } as unknown as Parameters<typeof stepsOfStart>[1];
  expect(stepsOfStart(form, target, ['books'])[0]).toBe(
    'books-2 is made like books-1, with 4 shards (1 difference).',
  );
});

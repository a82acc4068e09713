import { exampleMigration } from '@aosc/testkit';
import type { IndexDescription } from '../../ports/index-state-port';
import { givenBackMark, stillBorrowed } from './internal-settings';

const record = exampleMigration({
  committed: true,
  targetRestored: true,
  targetOriginals: {
    'index.gc_deletes': null,
    'index.final_pipeline': 'own',
    'index.number_of_replicas': '1',
  },
});
const names = (settings: IndexDescription['settings'], committed = true): readonly string[] =>
  stillBorrowed({ ...record, committed }, { settings }).map(([name]) => name);

test.each<
  [what: string, settings: IndexDescription['settings'], committed: boolean, borrowed: readonly string[]]
>([
  ['before the swap, all internal settings', {}, false, ['index.gc_deletes', 'index.final_pipeline']],
  ['after the swap, none', { 'index.gc_deletes': '30s', 'index.final_pipeline': 'own' }, true, []],
  ['after the swap, a `_none` of another client', { 'index.final_pipeline': '_none' }, true, []],
  [
    'after the swap, both that an undo has put late',
    { 'index.gc_deletes': givenBackMark, 'index.final_pipeline': '_none' },
    true,
    ['index.gc_deletes', 'index.final_pipeline'],
  ],
  [
    'after the swap, the mark alone',
    { 'index.gc_deletes': givenBackMark, 'index.final_pipeline': 'own' },
    true,
    ['index.gc_deletes'],
  ],
])('%s', (_, settings, committed, borrowed) => {
  expect(names(settings, committed)).toEqual(borrowed);
});

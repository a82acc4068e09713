import { nearestName } from './nearest-name';

const known = ['target_index', 'alias', 'options', 'doc_count_tolerance'];

test.each([
  ['target_indx', 'target_index'],
  ['targetIndex', 'target_index'],
  ['option', 'options'],
  ['Alias', 'alias'],
  ['doc_count_tolerence', 'doc_count_tolerance'],
])('%s was meant to be %s', (typed, meant) => {
  expect(nearestName(typed, known)).toBe(meant);
});

test('a name that resembles nothing has no nearest one', () => {
  expect(nearestName('priority', known)).toBeUndefined();
});

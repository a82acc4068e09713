import { namesOneOf } from './write-tasks';

const names = new Set(['orders', 'orders-alias']);

test.each([
  'requests[2], indices[other, orders]',
  'requests[2], indices[orders-alias]',
  'requests[1], index[orders][0]',
  '[requests[1], index[orders][0]] for [allocation] with primary term [1]',
  'index {[orders][3], source[{}]}',
  'delete {[orders][3]}',
  'update {[orders][3], doc[index {[null][null], source[{}]}]}',
  'Force-merge indices [other, orders], maxSegments[-1], onlyExpungeDeletes[true], flush[true]',
  '',
])('%j may write to the index', (description) => {
  expect(namesOneOf(description, names)).toBe(true);
});

test.each([
  'requests[2], indices[orders2]',
  'index {[other][3], source[{"a":"orders"}]}',
  'requests[1], index[orders-old][0]',
  'Force-merge indices [orders2], maxSegments[-1], onlyExpungeDeletes[true], flush[true]',
])('%j writes elsewhere', (description) => {
  expect(namesOneOf(description, names)).toBe(false);
});

test.each([
  ['orders[eu]', 'requests[1], index[orders[eu]][0]'],
  ['{orders}', 'index {[{orders}][3], source[{}]}'],
  ['[orders]', 'requests[2], indices[other, [orders]]'],
])('an index with the name %s is found in %j', (name, description) => {
  expect(namesOneOf(description, new Set([name]))).toBe(true);
  expect(namesOneOf(description, new Set([`${name}[2]`]))).toBe(false);
});

import { countLarge } from './expunge-deletes';

const copy = (merging: number, count = 600, deleted = 400) => ({
  docs: { count, deleted },
  merges: { current_docs: merging },
});

test.each([
  ['no merge', [copy(0), copy(0)], 0],
  ['a merge of a tenth of its shard', [copy(99), copy(100)], 100],
  ['merges of whole shards', [copy(1000), copy(1000)], 2000],
  ['small merges, whatever they come to together', Array.from({ length: 50 }, () => copy(90)), 0],
  ['a shard without documents', [copy(0, 0, 0)], 0],
  ['a copy that starts', [{}], 0],
])('documents in large merges: %s', (_, copies, documents) => {
  expect(countLarge(copies)).toBe(documents);
});

import { listDocuments } from '../dataset';
import { largeBytes, largeOrders, listUpdatedOrders } from './datasets';

test('large documents have their size, an own id, and the fields that are mapped', () => {
  const documents = [...largeOrders.list(20)];
  expect(new Set(documents.map(({ id }) => id)).size).toBe(20);
  for (const { source } of documents) {
    expect(Buffer.byteLength(source)).toBeGreaterThanOrEqual(largeBytes);
    expect(Buffer.byteLength(source)).toBeLessThan(largeBytes * 1.01);
    const fields = Object.keys(JSON.parse(source) as object).sort();
    expect(fields).toEqual(Object.keys(largeOrders.mappings['properties'] as object).sort());
  }
  expect([...largeOrders.list(5)]).toEqual(documents.slice(0, 5));
});

test.each([1, 2, 7, 100, 1000])('an update reaches each of %i orders once, with another content', (count) => {
  const first = [...listDocuments(count)];
  for (const pass of [1, 2, 3, 4, 5]) {
    const updated = [...listUpdatedOrders(count, pass)];
    expect(updated.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id));
    const before = new Map(first.map(({ id, source }) => [id, source]));
    expect(updated.filter(({ id, source }) => before.get(id) === source)).toEqual([]);
    expect([...listUpdatedOrders(count, pass)]).toEqual(updated);
  }
});

test('neighbours are updated far from each other, and in another order by each pass', () => {
  const orderOf = (pass: number) => [...listUpdatedOrders(1000, pass)].map(({ id }) => id);
  const at = new Map(orderOf(1).map((id, position) => [id, position]));
  const ids = [...listDocuments(1000)].map(({ id }) => id);
  const near = ids.slice(1).filter((id, n) => Math.abs((at.get(id) ?? 0) - (at.get(ids[n] ?? '') ?? 0)) < 10);
  expect(near).toEqual([]);
  expect(orderOf(1)).not.toEqual(orderOf(2));
});

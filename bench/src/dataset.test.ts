import { listDocuments, mappings } from './dataset';

test('documents are the same in every run', () => {
  expect([...listDocuments(50)]).toEqual([...listDocuments(50)]);
});

test('a longer list begins with the shorter one', () => {
  expect([...listDocuments(100)].slice(0, 50)).toEqual([...listDocuments(50)]);
});

test('documents have about 600 bytes, an id of their own, and the fields that are mapped', () => {
  const documents = [...listDocuments(1000)];
  const bytes = documents.reduce((sum, { source }) => sum + Buffer.byteLength(source), 0) / documents.length;
  expect(bytes).toBeGreaterThan(550);
  expect(bytes).toBeLessThan(650);
  expect(new Set(documents.map(({ id }) => id)).size).toBe(1000);
  for (const { source } of documents) {
    const document: unknown = JSON.parse(source);
    expect(Object.keys(document as object).sort()).toEqual(Object.keys(mappings.properties).sort());
  }
});

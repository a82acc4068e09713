import fc from 'fast-check';
import { createPageSizer } from '..';

const MB = 2 ** 20;
const manyAllowed = 50_000;

/** Reads pages of documents of one size, as many as asked for. */
function read(
  sizer: ReturnType<typeof createPageSizer>,
  bytesPerDoc: number,
  pages: number,
  limit = manyAllowed,
) {
  return Array.from({ length: pages }, () => {
    const documents = sizer.size(limit);
    sizer.learn({ documents, bytes: documents * bytesPerDoc });
    return documents;
  });
}

test('small documents: 16, then four times as many up to the setting', () => {
  expect(read(createPageSizer(), 600, 5, 1000)).toEqual([16, 64, 256, 1000, 1000]);
});

test('the setting is an upper limit for the first page, too, and may change at any time', () => {
  const sizer = createPageSizer();
  expect(sizer.size(5)).toBe(5);
  read(sizer, 600, 6);
  expect(sizer.size(5000)).toBe(5000);
  expect(sizer.size(10)).toBe(10);
});

test('large documents: as many as fit the budget, and a single one when it does not fit', () => {
  expect(read(createPageSizer(), MB, 4)).toEqual([16, 8, 8, 8]);
  expect(read(createPageSizer(), 16 * MB, 3)).toEqual([16, 1, 1]);
});

test('documents that grow shrink the next page at once, those that shrink are believed slowly', () => {
  const sizer = createPageSizer();
  read(sizer, 1024, 8);
  expect(sizer.size(manyAllowed)).toBe(8192);
  sizer.learn({ documents: 10, bytes: 10 * MB });
  expect(sizer.size(manyAllowed)).toBe(8);
  sizer.learn({ documents: 8, bytes: 8 * 1024 });
  expect(sizer.size(manyAllowed)).toBeLessThan(11);
  read(sizer, 1024, 60);
  expect(sizer.size(manyAllowed)).toBeGreaterThan(8000);
});

test('empty pages teach nothing, short ones don’t make it grow', () => {
  const sizer = createPageSizer();
  sizer.learn({ documents: 0, bytes: 300 });
  expect(sizer.size(manyAllowed)).toBe(16);
  sizer.learn({ documents: 3, bytes: 300 });
  expect(sizer.size(manyAllowed)).toBe(16);
});

test('a refused page is halved, once for all that were refused together, and not tried again for eight pages', () => {
  const sizer = createPageSizer();
  read(sizer, 600, 4);
  expect(sizer.size(1000)).toBe(1000);
  expect([sizer.refuse(1000), sizer.refuse(1000), sizer.refuse(1000)]).toEqual([true, true, true]);
  expect(read(sizer, 600, 10, 1000)).toEqual([500, 500, 500, 500, 500, 500, 500, 500, 500, 1000]);
});

test('a refused page whose size is known is cut to the budget at once', () => {
  const sizer = createPageSizer();
  read(sizer, 600, 3);
  expect(sizer.refuse(256, 256 * MB)).toBe(true);
  expect(sizer.size(manyAllowed)).toBe(8);
  expect(sizer.refuse(8, 200 * MB)).toBe(true);
  expect(sizer.size(manyAllowed)).toBe(1);
  expect(sizer.refuse(1, 200 * MB)).toBe(false);
  const small = createPageSizer();
  small.refuse(16, 17);
  expect(small.size(manyAllowed)).toBe(8);
});

test('a single document that is refused cannot be made smaller', () => {
  const sizer = createPageSizer();
  expect([16, 8, 4, 2, 1].map((size) => sizer.refuse(size))).toEqual([true, true, true, true, false]);
  expect(sizer.size(manyAllowed)).toBe(1);
});

test('whatever is read and refused, it asks for at least one and at most the setting, and settles within the budget', () => {
  const event = fc.oneof(
    fc.record({ documents: fc.nat(2000), bytes: fc.nat(64 * MB) }),
    fc.constant('refused' as const),
  );
  fc.assert(
    fc.property(fc.array(event), fc.integer({ min: 1, max: 50_000 }), (events, limit) => {
      const sizer = createPageSizer();
      for (const page of events) {
        if (page === 'refused') sizer.refuse(sizer.size(limit));
        else sizer.learn(page);
        expect(sizer.size(limit)).toBeGreaterThanOrEqual(1);
        expect(sizer.size(limit)).toBeLessThanOrEqual(limit);
      }
      const pages = read(sizer, 10_000, 30, limit);
      expect((pages.at(-1) ?? 0) * 10_000).toBeLessThanOrEqual(8 * MB);
    }),
  );
});

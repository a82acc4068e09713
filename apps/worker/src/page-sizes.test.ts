import { PageSizes } from './page-sizes';

test('what one shard has learnt serves the others of its migration, and no other migration', () => {
  const sizes = new PageSizes();
  sizes.of('a').learn({ documents: 16, bytes: 16_000 });
  expect(sizes.of('a').size(10_000)).toBe(64);
  expect(sizes.of('b').size(10_000)).toBe(16);
});

test('it remembers the migrations that were used last', () => {
  const sizes = new PageSizes();
  const kept = sizes.of('kept');
  const forgotten = sizes.of('forgotten');
  for (let other = 0; other < 255; other += 1) {
    sizes.of(`other-${other}`);
    sizes.of('kept');
  }
  expect(sizes.of('kept')).toBe(kept);
  expect(sizes.of('forgotten')).not.toBe(forgotten);
});

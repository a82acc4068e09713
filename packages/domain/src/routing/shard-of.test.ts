import { shardOf } from '..';
import { partitioned, routed } from './__tests__/landed-documents';

const shapes = {
  of5: { shardCount: 5, routingShardCount: 640, partitionSize: 1 },
  of3: { shardCount: 3, routingShardCount: 30, partitionSize: 1 },
  of8: { shardCount: 8, routingShardCount: 1024, partitionSize: 1 },
};
const partitionedShape = { shardCount: 6, routingShardCount: 48, partitionSize: 3 };

test.each(routed)('%j goes where OpenSearch put it, as id and as routing', (text, of5, of3, of8) => {
  for (const document of [
    { id: text, routing: undefined },
    { id: 'another id', routing: text },
  ]) {
    expect(shardOf(document, shapes.of5)).toBe(of5);
    expect(shardOf(document, shapes.of3)).toBe(of3);
    expect(shardOf(document, shapes.of8)).toBe(of8);
  }
});

test.each(partitioned)('partitioned: id %j with routing %j', (id, routing, shard) => {
  expect(shardOf({ id, routing }, partitionedShape)).toBe(shard);
});

test('an empty routing is none', () => {
  expect(shardOf({ id: 'emptyrouting', routing: '' }, shapes.of5)).toBe(
    shardOf({ id: 'emptyrouting', routing: undefined }, shapes.of5),
  );
});

test('a single shard holds everything', () => {
  const one = { shardCount: 1, routingShardCount: 1024, partitionSize: 1 };
  expect(routed.map(([id]) => shardOf({ id, routing: undefined }, one))).toEqual(routed.map(() => 0));
});

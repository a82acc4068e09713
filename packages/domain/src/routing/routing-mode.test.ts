import fc from 'fast-check';
import { findRoutingIncompatibility, selectRoutingMode, shardOf, targetShardsOf } from '..';

test.each([
  [1, 1, 'SAME_SHARD'],
  [5, 5, 'SAME_SHARD'],
  [1, 2, 'SPLIT_SHARD'],
  [1, 8, 'SPLIT_SHARD'],
  [2, 8, 'SPLIT_SHARD'],
  [3, 6, 'SPLIT_SHARD'],
  [3, 1536, 'SPLIT_SHARD'],
  [1, 3, 'BULK_API'],
  [2, 3, 'BULK_API'],
  [2, 6, 'BULK_API'],
  [3, 9, 'BULK_API'],
  [3, 2, 'BULK_API'],
  [4, 2, 'BULK_API'],
  [8, 1, 'BULK_API'],
] as const)('%d -> %d is %s', (source, target, mode) => {
  expect(selectRoutingMode(source, target)).toBe(mode);
});

test('target shards of a source shard', () => {
  expect(
    targetShardsOf({ shardRoutingMode: 'SAME_SHARD', sourceShardCount: 4, targetShardCount: 4 }, 2),
  ).toEqual([2]);
  expect(
    targetShardsOf({ shardRoutingMode: 'SPLIT_SHARD', sourceShardCount: 2, targetShardCount: 8 }, 1),
  ).toEqual([4, 5, 6, 7]);
  expect(
    targetShardsOf({ shardRoutingMode: 'BULK_API', sourceShardCount: 2, targetShardCount: 3 }, 1),
  ).toEqual([0, 1, 2]);
});

describe('routing shards', () => {
  const shape = (shardCount: number, routingShardCount: number, partitionSize = 1) => ({
    shardCount,
    routingShardCount,
    partitionSize,
  });

  test('2 -> 4 with different routing shards does not fit', () => {
    expect(findRoutingIncompatibility(shape(2, 1024), shape(4, 768))).toEqual({
      setting: 'index.number_of_routing_shards',
      source: 1024,
      target: 768,
    });
  });

  test('3 -> 3 with different partition sizes does not fit', () => {
    expect(findRoutingIncompatibility(shape(3, 48, 2), shape(3, 48))).toEqual({
      setting: 'index.routing_partition_size',
      source: 2,
      target: 1,
    });
  });

  test('equal ones fit; 1 -> N, N -> 1 and BULK_API need no agreement', () => {
    expect(findRoutingIncompatibility(shape(2, 1024), shape(4, 1024))).toBeUndefined();
    expect(findRoutingIncompatibility(shape(1, 1024), shape(4, 768))).toBeUndefined();
    expect(findRoutingIncompatibility(shape(4, 1024), shape(1, 768))).toBeUndefined();
    expect(findRoutingIncompatibility(shape(2, 1024), shape(3, 768))).toBeUndefined();
  });

  test('where nothing is found, every document lands on one of its target shards', () => {
    const powerOfTwo = (max: number) => fc.integer({ min: 0, max }).map((n) => 2 ** n);
    fc.assert(
      fc.property(
        fc.record({
          id: fc.string({ unit: 'binary', minLength: 1 }),
          routing: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
          sourceShards: fc.integer({ min: 1, max: 6 }),
          factor: powerOfTwo(3),
          spare: powerOfTwo(4),
          partitionSize: fc.integer({ min: 1, max: 3 }),
        }),
        ({ id, routing, sourceShards, factor, spare, partitionSize }) => {
          const targetShards = sourceShards * factor;
          const routingShardCount = targetShards * spare;
          const source = shape(sourceShards, routingShardCount, partitionSize);
          const target = shape(targetShards, routingShardCount, partitionSize);
          expect(findRoutingIncompatibility(source, target)).toBeUndefined();
          const migration = {
            shardRoutingMode: selectRoutingMode(sourceShards, targetShards),
            sourceShardCount: sourceShards,
            targetShardCount: targetShards,
          };
          const document = { id, routing };
          expect(targetShardsOf(migration, shardOf(document, source))).toContain(shardOf(document, target));
        },
      ),
    );
  });
});

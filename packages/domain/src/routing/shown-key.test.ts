import fc from 'fast-check';
import {
  determinesTargetShard,
  evaluateKey,
  hasReplacement,
  type IndexRoutingShape,
  mayMislead,
  shardOf,
} from '..';

const shape = (shardCount: number, routingShardCount = 48, partitionSize = 1): IndexRoutingShape => ({
  shardCount,
  routingShardCount,
  partitionSize,
});

/** As OpenSearch 3.7.0 shows them: each lone half is one U+FFFD. */
const shown = (text: string): string => text.toWellFormed();

test.each([
  // key that was sent, shards of the source, what the shard that holds the document says of the key that is shown
  ['z', 3, 'whole'],
  ['z\ufffd', 3, 'doubtful'],
  ['z\ufffd', 1, 'doubtful'],
  ['x\ud83d', 1, 'doubtful'],
  ['q\udfff\ud800', 3, 'doubtful'],
  ['w\ud83dm', 3, 'doubtful'],
  ['x\ud83d', 3, 'foreign'],
  ['x\ude00', 3, 'foreign'],
  ['y\ud83d', 3, 'foreign'],
  ['\ud83d', 3, 'foreign'],
  ['whole \u{1f30d}', 3, 'whole'],
] as const)('%j in an index of %d shards: %s', (sent, shards, evidence) => {
  const source = shape(shards, shards * 256);
  for (const key of [
    { id: sent, routing: undefined },
    { id: 'id', routing: sent },
  ]) {
    const shownKey = {
      id: shown(key.id),
      routing: key.routing === undefined ? undefined : shown(key.routing),
    };
    expect(evaluateKey(shownKey, shardOf(key, source), source)).toBe(evidence);
  }
});

test.each([
  // id, routing, shards of the target, size of its partitions
  ['x\ufffd', undefined, 2, 1, true],
  ['x\ufffd', '', 2, 1, true],
  ['x\ufffd', undefined, 1, 1, false],
  ['x\ufffd', 'r', 2, 1, false],
  ['x\ufffd', 'r', 4, 2, true],
  ['x', 'r\ufffd', 2, 1, true],
  ['x', 'r\ufffd', 4, 2, true],
  ['x', 'r\ufffd', 1, 1, false],
  ['x', 'r', 4, 2, false],
] as const)(
  'id %j with routing %j in a target of %d shards, partitions of %d: may mislead: %s',
  (id, routing, shards, size, misleads) => {
    expect(mayMislead({ id, routing }, shape(shards, 48, size))).toBe(misleads);
  },
);

test.each([
  ['the same shards', shape(3), shape(3), true],
  ['half of them', shape(4), shape(2), true],
  ['one of several', shape(4), shape(1), true],
  ['twice as many', shape(2), shape(4), false],
  ['more than one of one', shape(1), shape(2), false],
  ['others', shape(3), shape(2), false],
  ['another ring', shape(2, 48), shape(2, 32), false],
  ['other partitions', shape(4, 48, 2), shape(4, 48, 1), false],
  ['equal partitions', shape(4, 48, 2), shape(4, 48, 2), true],
] as const)(
  '%s: %j -> %j: the shard of the source determines that of the target: %s',
  (_what, source, target, determines) => {
    expect(determinesTargetShard(source, target)).toBe(determines);
  },
);

test('what passes is in the target where the key that was sent leads', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '\ud83d', '\ude00', '\ufffd', '\u{1f30d}'), {
    minLength: 1,
    maxLength: 4,
  });
  const anyShape = fc.record({
    shards: fc.integer({ min: 1, max: 6 }),
    spare: fc.integer({ min: 1, max: 4 }),
    partitionSize: fc.integer({ min: 1, max: 3 }),
  });
  let passed = 0;
  fc.assert(
    fc.property(
      text.map((parts) => parts.join('')),
      fc.option(
        text.map((parts) => parts.join('')),
        { nil: undefined },
      ),
      anyShape,
      anyShape,
      fc.boolean(),
      (id, routing, from, to, sameRing) => {
        const ring = from.shards * to.shards;
        const source = shape(from.shards, ring * from.spare, from.partitionSize);
        const target = sameRing
          ? shape(to.shards, ring * from.spare, from.partitionSize)
          : shape(to.shards, to.shards * to.spare, to.partitionSize);
        const sent = { id, routing };
        const key = { id: shown(id), routing: routing === undefined ? undefined : shown(routing) };
        const evidence = evaluateKey(key, shardOf(sent, source), source);
        if (evidence === 'foreign') return;
        if (evidence === 'doubtful' && mayMislead(key, target) && !determinesTargetShard(source, target))
          return;
        if (hasReplacement(key)) passed += 1;
        expect(shardOf(key, target)).toBe(shardOf(sent, target));
      },
    ),
    { numRuns: 2000 },
  );
  expect(passed).toBeGreaterThan(0);
});

import { blockAlias, committedAlias, madeAlias, tokenAlias } from '@aosc/domain';
import { exampleMigration, examplePrimary, exampleRouting } from '@aosc/testkit';
import type { MigrationRecord } from '@aosc/contract';
import type { IndexDescription, PrimaryCheckpoint } from '../../ports/index-state-port';
import { decideMaking, decideRemoval, sourceShards } from './decide-making';

const sources = { 0: { checkpoint: 7, historyUuid: 'h', allocationId: 'a', primaryTerm: 1 } };
const block = { requestedAtMillis: 1, usersOwn: false, confirmed: false, lifted: false };

function createRecord(parts: Partial<MigrationRecord> = {}): MigrationRecord {
  return {
    ...exampleMigration(),
    phase: 'ACTIVE',
    targetUuid: '',
    files: { settings: {}, originals: {} },
    ...parts,
  };
}

const { key, sourceUuid, sourceIndex, targetIndex } = createRecord();

function createIndex(uuid: string, ...aliases: readonly string[]): IndexDescription {
  return {
    index: 'i',
    uuid,
    open: true,
    shardCount: 1,
    routingShardCount: 1,
    routingPartitionSize: 1,
    settings: {},
    mappingVersion: 1,
    aliases: new Map(aliases.map((alias) => [alias, { json: '{}' }])),
  };
}

const source = createIndex(sourceUuid, blockAlias(key));
const made = createIndex('new', madeAlias(key));
const asked = { files: { settings: {}, originals: {}, sources }, writeBlock: block };

test.each([
  ['nothing was sent yet', {}, { source, target: undefined }, { type: 'announce', source }],
  ['a resize may have been sent', asked, { source, target: undefined }, { type: 'resize' }],
  ['its answer was lost, and it was carried out', asked, { source, target: made }, { type: 'lift' }],
  [
    'applications write again',
    { ...asked, writeBlock: { ...block, lifted: true } },
    { source, target: made },
    { type: 'adopt', uuid: 'new' },
  ],
  [
    "the block is the user's",
    { ...asked, writeBlock: { ...block, usersOwn: true } },
    { source, target: made },
    { type: 'adopt', uuid: 'new' },
  ],
  [
    "another client's index has the name",
    asked,
    { source, target: createIndex('new') },
    {
      type: 'fail',
      reason: `Target index [${targetIndex}] was created by another client since the start: its name has to be free`,
    },
  ],
  [
    "another migration's has it",
    asked,
    { source, target: createIndex('new', madeAlias('0'.repeat(20))) },
    {
      type: 'fail',
      reason: `Target index [${targetIndex}] was created by another client since the start: its name has to be free`,
    },
  ],
  [
    'the source is gone',
    asked,
    { source: undefined, target: undefined },
    { type: 'fail', reason: `Source index [${sourceIndex}] no longer exists` },
  ],
  [
    'another index has the name of the source',
    {},
    { source: createIndex('other'), target: undefined },
    { type: 'fail', reason: `Source index [${sourceIndex}] no longer exists` },
  ],
] as const)('%s', (_, parts, seen, step) => {
  expect(decideMaking(createRecord(parts), seen)).toEqual(step);
});

describe('what becomes of the target of a migration that is given up', () => {
  const givenUp = { ...asked, tokenTaken: true };
  test.each([
    ['the migration has made it', givenUp, made, 'remove'],
    [
      'the record names it',
      { ...givenUp, targetUuid: 'new' },
      createIndex('new', madeAlias(key), tokenAlias(key)),
      'remove',
    ],
    ['it has the name alone', givenUp, createIndex('new'), 'none'],
    ['another one of the name is there since', { ...givenUp, targetUuid: 'first' }, made, 'none'],
    ['there is none', givenUp, undefined, 'none'],
    ['a swap may still come', { ...givenUp, tokenTaken: false }, made, 'none'],
    ['the swap has happened', { ...givenUp, committed: true }, made, 'none'],
    [
      'the swap has happened, and the record does not have it',
      givenUp,
      createIndex('new', madeAlias(key), committedAlias(key)),
      'none',
    ],
    ['another client uses it by an alias', givenUp, createIndex('new', madeAlias(key), 'books'), 'leave'],
  ] as const)('%s', (_, parts, target, type) => {
    expect(decideRemoval(createRecord(parts), target).type).toBe(type);
  });

  test('it was there before the start', () => {
    const { files: _none, ...record } = createRecord(givenUp);
    expect(decideRemoval(record, made).type).toBe('none');
  });
});

describe('where the shards of a source stand', () => {
  const record = createRecord({ sourceShardCount: 1 });
  const checkpoint: PrimaryCheckpoint = {
    shard: 0,
    nodeId: 'n',
    state: 'STARTED',
    copiesAnswered: 1,
    maxSeqNo: 9,
    globalCheckpoint: 7,
    historyUuid: 'h',
  };
  const primary = examplePrimary(0, { allocationId: 'a', primaryTerm: 1 });
  const routing = { ...exampleRouting([primary]), indexUuid: sourceUuid };

  test('by what can not be rolled back any more, not by the highest number', () => {
    expect(sourceShards(record, [checkpoint], routing)).toEqual(sources);
  });

  test.each([
    ['a primary that tells nothing', [], routing],
    ['a primary that is not started', [{ ...checkpoint, state: 'RELOCATING' }], routing],
    ['another index', [checkpoint], { ...routing, indexUuid: 'other' }],
    ['no node for it', [checkpoint], { ...routing, primaries: [{ ...primary, allocationId: undefined }] }],
    ['no routing', [checkpoint], { ...routing, primaries: [] }],
  ])('not known of %s', (_, checkpoints, seen) => {
    expect(sourceShards(record, checkpoints, seen)).toBeUndefined();
  });
});

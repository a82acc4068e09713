import { selectRoutingMode } from '@aosc/domain';
import { type FilesCase, findFilesProblems } from './files-problems';

function examine(parts: {
  readonly from?: number;
  readonly to?: number;
  readonly routingShards?: number;
  readonly settings?: FilesCase['source']['settings'];
  readonly request?: Partial<FilesCase['request']>;
}): readonly string[] {
  const { from = 4, to = 8, routingShards = 1024, settings = {}, request } = parts;
  return findFilesProblems({
    request: { script: undefined, createTarget: undefined, ...request },
    mode: selectRoutingMode(from, to),
    source: { index: 's', shardCount: from, routingShardCount: routingShards, settings },
    shardCount: to,
  });
}

test.each([
  ['more shards', {}],
  ['the same number of them', { to: 4 }],
  ['from one shard, whatever its routing shards', { from: 1, routingShards: 1 }],
  ['another codec', { request: { createTarget: { settings: { 'index.codec': 'best_compression' } } } }],
  ['virtual shards that stay as they are', { to: 4, settings: { 'index.number_of_virtual_shards': '8' } }],
  [
    'replication by segments without a replica',
    { settings: { 'index.replication.type': 'SEGMENT', 'index.number_of_replicas': '0' } },
  ],
  ['what a kind of source is not', { settings: { 'index.append_only.enabled': 'false' } }],
])('files: %s', (_, parts) => expect(examine(parts)).toEqual([]));

test.each([
  ['fewer shards', { to: 2 }, 'no target shards of its own'],
  ['a number that is no power of 2 times the source', { to: 12 }, 'no target shards of its own'],
  ['routing shards that they do not divide', { routingShards: 4 }, 'which 8 shards do not divide'],
  ['a script', { request: { script: { type: 'inline', source: '1' } } }, 'transform_script changes'],
  ['a mapping', { request: { createTarget: { mappings: { dynamic: false } } } }, 'mapping of files'],
  [
    'an analyser',
    { request: { createTarget: { settings: { 'index.analysis.analyzer.a.type': 'standard' } } } },
    '[index.analysis.analyzer.a.type] can not be changed',
  ],
  ['virtual shards', { settings: { 'index.number_of_virtual_shards': '8' } }, 'number_of_virtual_shards'],
  ['a searchable snapshot', { settings: { 'index.store.type': 'remote_snapshot' } }, '[remote_snapshot]'],
  ['a remote store', { settings: { 'index.remote_store.enabled': 'true' } }, 'remote_store'],
  ['replicas by segments', { settings: { 'index.replication.type': 'SEGMENT' } }, 'replicas by segments'],
  ['star trees', { settings: { 'index.composite_index': 'true' } }, 'composite_index'],
] as const)('no files: %s', (_, parts, reason) => {
  expect(examine(parts)).toEqual([expect.stringContaining(reason)]);
});

test('each reason is named', () => {
  const settings = { 'index.append_only.enabled': 'true', 'index.remote_store.enabled': 'true' };
  expect(examine({ to: 3, settings })).toHaveLength(3);
});

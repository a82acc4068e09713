import { Type } from '@sinclair/typebox';

/** `_shards` of answers that go to every copy of every shard. */
export const ShardsSchema = Type.Object({
  total: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
  failures: Type.Optional(Type.Array(Type.Unknown())),
});

export const AcknowledgedSchema = Type.Object({ acknowledged: Type.Boolean() });

/** Answer of `GET …/_alias/…`: index -> aliases. */
export const AliasesSchema = Type.Record(
  Type.String(),
  Type.Object({ aliases: Type.Record(Type.String(), Type.Object({})) }),
);

/** `index.blocks.write` in the blocks of `_cluster/state` (IndexMetadata.INDEX_WRITE_BLOCK) */
export const writeBlockId = '8';

/** Blocks in `_cluster/state`: index -> id of the block. A block that still waits for earlier writes has a uuid. */
export const IndexBlocksSchema = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Object({ uuid: Type.Optional(Type.String()) })),
);

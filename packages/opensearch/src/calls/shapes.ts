import { byName, maybe } from '@aosc/contract';
import { type TSchema, Type } from '@sinclair/typebox';

/** `_shards` of answers that go to every copy of every shard. */
export const ShardsSchema = Type.Object({
  total: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
  failures: maybe(Type.Array(Type.Unknown())),
});

/** A part of a cluster state (`metadata`, `routing_table`), with what it shows of each index. */
export const byIndex = <S extends TSchema>(index: S) => maybe(Type.Object({ indices: maybe(byName(index)) }));

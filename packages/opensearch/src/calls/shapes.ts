import { maybe } from '@aosc/contract';
import { Type } from '@sinclair/typebox';

/** `_shards` of answers that go to every copy of every shard. */
export const ShardsSchema = Type.Object({
  total: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
  failures: maybe(Type.Array(Type.Unknown())),
});

import { type Static, Type } from '@sinclair/typebox';
import { count, integer, maybe, oneOf, text, truth } from './shapes';

const Aliases = Type.Array(Type.String(), { description: "without the service's own" });

/** One index that a migration may have as its source. */
export const IndexItemSchema = Type.Object({
  name: Type.String(),
  aliases: Aliases,
});
export type IndexItem = Readonly<Static<typeof IndexItemSchema>>;

/** The answer of `_indices`: what there is to choose from. */
export const IndexListSchema = Type.Object({
  indices: Type.Array(IndexItemSchema, {
    description: 'by name; open ones, without those of a dot in front',
  }),
  truncated: truth('there are more than are listed'),
});
export type IndexList = Readonly<Static<typeof IndexListSchema>>;

/** An index of a migration as the cluster has it now. */
export const IndexNowSchema = Type.Object({
  name: Type.String(),
  state: oneOf(
    ['same', 'replaced', 'missing'],
    'replaced: the index of this name is another one than the migration had',
  ),
  aliases: Aliases,
  is_write_blocked: Type.Boolean(),
  blocked_by: maybe(text('the migration that has left its write block; absent: none that is known')),
  in_use: maybe(truth('another migration fills it; absent: no name on it says so')),
  document_count: maybe(count('root documents; absent: they could not be counted now')),
});
export type IndexNow = Readonly<Static<typeof IndexNowSchema>>;

/** What the cluster says now of the indices of a migration, and of its alias. */
export const MigrationIndicesSchema = Type.Object({
  migration_id: Type.String(),
  at_millis: integer('epoch ms, when the cluster was asked'),
  alias: Type.Object({
    name: Type.String(),
    indices: Type.Array(Type.String(), { description: 'that carry it; none: there is no such alias' }),
  }),
  source: IndexNowSchema,
  target: IndexNowSchema,
});
export type MigrationIndices = Readonly<Static<typeof MigrationIndicesSchema>>;

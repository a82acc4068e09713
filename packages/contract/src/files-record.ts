import { Type } from '@sinclair/typebox';
import { byName, integer, maybe, oneOf } from './shapes';
import type { CamelStatic } from './case';

/**
 * Of the record of a migration whose target is made of files. A version that does not know that would take the target's
 * documents for nothing and drop `files`. Records of shards need none: every process reads the migration's record before it works on a shard.
 */
export const filesSchemaVersion = 3;

/** How the target is made of the source's files, and how far that has come. */
export const FilesSchema = Type.Object({
  settings: byName(
    Type.Union([Type.String(), Type.Null()]),
    'what the new target has otherwise than the source; null: nothing of its own',
  ),
  originals: byName(
    Type.Union([Type.String(), Type.Null()]),
    'the transient settings as the target is to have them in the end; null: the default',
  ),
  sources: maybe(
    byName(
      Type.Object({
        checkpoint: integer('every operation up to it is in the files for certain'),
        history_uuid: Type.String(),
        allocation_id: Type.String(),
        primary_term: Type.Integer(),
      }),
      'each source shard before the resize could be sent; there: it may have been',
    ),
  ),
  merge: maybe(
    oneOf(
      ['begun', 'asked', 'over'],
      'Away with the documents of sibling shards. asked: the cluster has been asked for that; over: replicas wait no longer',
    ),
  ),
  reached: maybe(
    byName(Type.Integer(), 'max_seq_no of each shard of the target before anything was written to it'),
  ),
});
export type MadeOfFiles = CamelStatic<typeof FilesSchema>;

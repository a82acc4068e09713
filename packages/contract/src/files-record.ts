import { Type } from '@sinclair/typebox';
import type { CamelStatic } from './case';

/**
 * Of the record of a migration whose target is made of files. A version that does not know that would take the target's
 * documents for nothing and drop `files`. Records of shards need none: every process reads the migration's record before it works on a shard.
 */
export const filesSchemaVersion = 3;

/** How the target is made of the source's files, and how far that has come. */
export const FilesSchema = Type.Object({
  settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
    description: 'what the new target has otherwise than the source; null: nothing of its own',
  }),
  originals: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
    description: 'the transient settings as the target is to have them in the end; null: the default',
  }),
  sources: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        checkpoint: Type.Integer({ description: 'every operation up to it is in the files for certain' }),
        history_uuid: Type.String(),
        allocation_id: Type.String(),
        primary_term: Type.Integer(),
      }),
      { description: 'each source shard before the resize could be sent; there: it may have been' },
    ),
  ),
  reached: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: 'max_seq_no of each shard of the target before anything was written to it',
    }),
  ),
});
export type MadeOfFiles = CamelStatic<typeof FilesSchema>;

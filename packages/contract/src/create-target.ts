import { type Static, Type } from '@sinclair/typebox';
import { byName, maybe, text, truth } from './shapes';
import { RoutingModeSchema } from './phases';

/** The most shards that OpenSearch allows an index by default (`opensearch.index.max_number_of_shards`). */
const maxShards = 1024;

/** Index settings by name; lists as `index.sort.field` has them. For the explicit pattern see `IndexSettingsSchema`. */
const SettingEditsSchema = Type.Record(
  Type.String({ pattern: '^[\\s\\S]*$' }),
  Type.Union([
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Null(),
    Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  ]),
  {
    description:
      'Settings that differ from those of the source, by full name ("index.refresh_interval"); null leaves out a setting of the source.',
  },
);

/** The body of `_create_target`. */
export const CreateTargetRequestSchema = Type.Object(
  {
    target_index: maybe(text('Name of the index to create; it must not exist.')),
    number_of_shards: maybe(
      Type.Integer({
        minimum: 1,
        maximum: maxShards,
        description: 'Primary shards of the target. Default: as many as the source has.',
      }),
    ),
    settings: maybe(SettingEditsSchema),
    mappings: maybe(
      byName(
        Type.Unknown(),
        'Changes of the mapping of the source, as a JSON merge patch (RFC 7396): objects are merged, null removes.',
      ),
    ),
  },
  { additionalProperties: false },
);
export type CreateTargetRequest = Static<typeof CreateTargetRequestSchema>;

/** One place in which the definitions of two indices differ. */
export const DefinitionChangeSchema = Type.Object({
  path: text('settings.<name>, or mappings. and the path of a leaf'),
  source: maybe(Type.Unknown({ description: 'absent: the source has nothing there' })),
  target: maybe(Type.Unknown({ description: 'absent: the target has nothing there' })),
});
export type DefinitionChange = Readonly<Static<typeof DefinitionChangeSchema>>;

/** The answer of `_create_target`. */
export const CreateTargetAnswerSchema = Type.Object({
  source_index: Type.String(),
  target_index: Type.String(),
  dry_run: Type.Boolean(),
  created: truth('false only in a dry run'),
  shard_routing_mode: RoutingModeSchema,
  definition: Type.Object(
    {
      settings: byName(Type.Unknown()),
      mappings: byName(Type.Unknown()),
    },
    { description: 'what the index is, or would be, created from' },
  ),
  changes: Type.Array(DefinitionChangeSchema, {
    description:
      'how the new target differs from the source, with what index templates add; in a dry run how it would differ, as far as that is known',
  }),
  changes_truncated: truth('there are more changes than are listed'),
  unassigned: maybe(
    text(
      'why the cluster assigns a copy of the new target to no node, in its own words: a start waits for it. Absent: every copy has a node',
    ),
  ),
  left_out: Type.Array(Type.Object({ setting: Type.String(), reason: Type.String() }), {
    description: 'settings and parts of the mapping of the source that the target does not get',
  }),
  aliases: Type.Array(
    Type.Object({
      name: Type.String(),
      properties: byName(
        Type.Unknown(),
        'filter, routing, is_write_index and others, as the source has them',
      ),
    }),
    {
      description:
        'of the source. The target gets none: the swap gives it the alias of the start, with its properties; the others stay on the source',
    },
  ),
});
export type CreateTargetAnswer = Readonly<Static<typeof CreateTargetAnswerSchema>>;

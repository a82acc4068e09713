import { type Static, Type } from '@sinclair/typebox';
import { byName, count, integer, maybe, off, oneOf, text } from './shapes';
import type { CamelStatic } from './case';

/** How a document of the target can differ, in the order in which it is looked for. */
export const differenceKinds = ['missing', 'extra', 'version', 'routing', 'source'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

const DifferenceSchema = Type.Object({
  kind: oneOf(differenceKinds),
  id: text('`_id` in the source; of an extra document, and where a script sets ids, in the target'),
  routing: maybe(text('absent: it has none')),
  fields: maybe(
    Type.Array(Type.String(), {
      description: 'top-level fields of `_source` that differ, at most 20; no values',
    }),
  ),
});
export type Difference = CamelStatic<typeof DifferenceSchema>;

const CountsSchema = Type.Object({
  missing: count('in the source and not in the target'),
  extra: count('in the target and not in the source'),
  version: count('with another `_version`'),
  routing: count('under another `_routing`'),
  source: count('with another `_source`'),
});
export type DifferenceCounts = CamelStatic<typeof CountsSchema>;

const StateSchema = oneOf(['running', 'done', 'failed']);

const byShard = (description: string) => byName(Type.Integer(), description);

const RangeSchema = Type.Object({
  source_shards: Type.Array(Type.Integer()),
  target_shards: Type.Array(Type.Integer()),
  documents: count('of the source that were compared, in all passes'),
  to_seq_no: byShard(
    'by source shard: what operations up to this number wrote was compared, after the swap apart from `unsettled` documents',
  ),
  to_target_seq_no: byShard('the same by target shard'),
});

const shared = {
  reason: maybe(text('why it has failed, or why what was written last before the swap was not compared')),
  requested_by: maybe(text('absent: the service itself, or an API without credentials')),
  started_at_millis: Type.Integer(),
  ended_at_millis: maybe(Type.Integer()),
  repaired: maybe(count('documents that differed and do no more; absent: repairs were not asked for')),
  passes: integer('the first compares everything, each later one what was written since the one before'),
  documents_compared: count('documents of the source, in all passes'),
  unsettled: count(
    'documents that the newest pass could not judge: written again at each look, or perhaps deleted by an application after the swap',
  ),
  contested: maybe(
    count(
      'documents that shards of the source write to in turn: the last rounds of the cutover settle them, and the pass after the swap compares what those write',
    ),
  ),
  unproven_at_swap: maybe(
    count(
      'operations between the last pass before the swap and the swap; they are compared in a pass after it',
    ),
  ),
};

/** A verification of one migration, the newest. Position and result are one record: neither is ever ahead of the other. */
export const VerificationRecordSchema = Type.Object({
  kind: Type.Literal('verification'),
  schema_version: Type.Integer(),
  key: Type.String(),
  phase: StateSchema,
  ...shared,
  position: Type.Object(
    {
      group: Type.Integer(),
      part: Type.Integer(),
      parts: maybe(Type.Integer()),
      range: maybe(RangeSchema),
    },
    {
      description:
        'what is compared next; without parts: the group was not begun. range: of its parts so far',
    },
  ),
  counts: CountsSchema,
  samples: Type.Array(DifferenceSchema),
  ranges: Type.Array(RangeSchema, { description: 'one for each group of shards that was compared' }),
  digest: maybe(Type.String()),
  behind: maybe(
    count('operations that the newest pass had to compare when it began, of the shard with the most'),
  ),
});
export type VerificationRecord = CamelStatic<typeof VerificationRecordSchema>;
export type VerifiedRange = CamelStatic<typeof RangeSchema>;

export const VerifyRequestSchema = Type.Object(
  {
    repair: maybe(
      off(
        'true: before the cutover, documents that differ are written again as the source has them, or deleted, and looked at again.',
      ),
    ),
  },
  { additionalProperties: false },
);
export type VerifyRequest = Static<typeof VerifyRequestSchema>;

/** The answer of `_verify`: how far it is, and at the end the certificate. */
export const VerificationAnswerSchema = Type.Object({
  migration_id: Type.String(),
  source_index: Type.String(),
  target_index: Type.String(),
  state: StateSchema,
  ...shared,
  progress: Type.Object({
    groups: integer('of shards that are compared with each other'),
    groups_done: Type.Integer(),
    part: integer('of the group that is compared now, from 0'),
    parts: maybe(integer('absent: the group was not begun')),
  }),
  differences: Type.Object({
    counts: CountsSchema,
    samples: Type.Array(DifferenceSchema, { description: 'at most 1,000 of each kind' }),
  }),
  ranges: Type.Array(RangeSchema),
  digest: maybe(
    text('SHA-256 of the certificate: the answer without this field, as compact JSON in the order sent'),
  ),
});
export type VerificationAnswer = Readonly<Static<typeof VerificationAnswerSchema>>;

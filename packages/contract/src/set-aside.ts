import { type Static, Type } from '@sinclair/typebox';
import { count, integer, list, maybe, oneOf, text } from './shapes';
import type { CamelStatic } from './case';

/** A service before this version would forget which documents were set aside. */
export const setAsideSchemaVersion = 6;

/** What becomes of a migration whose target refuses a document. */
const documentErrorModes = ['fail', 'set_aside'] as const;

export const maxSetAsideByDefault = 1000;
/** A shard's record names them all, and is written every few seconds. */
const mostSetAside = 5000;

/** Options of a start about documents that the target refuses. Beside the contract. */
export const setAsideOptions = {
  on_document_error: maybe(
    oneOf(
      documentErrorModes,
      'fail: a document that the target refuses fails the migration. set_aside: it is kept aside, and the cutover waits until it is retried or accepted. Default: fail.',
    ),
  ),
  max_documents_set_aside: maybe(
    Type.Integer({
      minimum: 1,
      maximum: mostSetAside,
      description: `With set_aside: more refused documents fail the migration. Default: ${maxSetAsideByDefault}.`,
    }),
  ),
};

/** A document of the source that the target refuses, as a shard's record names it. */
export const SetAsideDocumentSchema = Type.Object({
  id: Type.String(),
  routing: maybe(text('absent: it has none')),
  version: text('`_version` in the source'),
  seq_no: integer('`_seq_no` in the source'),
  type: text('type of the error'),
  reason: text('without the id and the values that OpenSearch quotes'),
});
export type SetAsideDocument = CamelStatic<typeof SetAsideDocumentSchema>;

const ReasonSchema = Type.Object({
  type: Type.String(),
  reason: Type.String(),
  count: count(),
  sample_ids: list(Type.String(), 'some of the documents'),
});

/** Documents that the target lacks because it refuses them. */
export const SetAsideSchema = Type.Object({
  count: count(),
  digest: text('of all of them and their versions: `accept_set_aside` takes it'),
  reasons: list(ReasonSchema),
  accepted: maybe(
    Type.Object({
      digest: Type.String(),
      at_millis: integer('epoch ms'),
      by: maybe(text('kind and name of the credential; absent: the API asked for none')),
    }),
  ),
});
export type SetAside = CamelStatic<typeof SetAsideSchema>;

/** The answer of `_set_aside`. */
export const SetAsideAnswerSchema = Type.Object({
  migration_id: Type.String(),
  ...SetAsideSchema.properties,
  documents: Type.Array(SetAsideDocumentSchema),
});
export type SetAsideAnswer = Static<typeof SetAsideAnswerSchema>;

/** The answer of `_set_aside/_retry`. */
export const RetryAnswerSchema = Type.Object({
  accepted: Type.Literal(true),
  documents: count('that the next look of their shards writes again'),
});
export type RetryAnswer = Static<typeof RetryAnswerSchema>;

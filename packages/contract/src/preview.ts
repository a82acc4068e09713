import { type Static, Type } from '@sinclair/typebox';
import { maybe, text, truth } from './shapes';
import { TransformScriptSchema } from './migration-options';

/** The body of `_preview_transform`. */
export const PreviewRequestSchema = Type.Object(
  {
    transform_script: TransformScriptSchema,
    target_index: maybe(text('What the script sees as ctx._index.')),
  },
  { additionalProperties: false },
);
export type PreviewRequest = Static<typeof PreviewRequestSchema>;

const PreviewedSchema = Type.Object({
  id: text('`_id`'),
  source: text('`_source` as the text that it is; a part of a long one'),
  is_part: truth('source is only the beginning'),
});

/** The answer of `_preview_transform`. */
export const PreviewAnswerSchema = Type.Object({
  documents: Type.Array(
    Type.Object({
      before: PreviewedSchema,
      after: maybe(PreviewedSchema),
      failure: maybe(
        Type.Object(
          { type: Type.String(), reason: Type.String() },
          { description: 'why there is no `after`' },
        ),
      ),
    }),
    { description: 'some of the source, five at the most; none when it is empty' },
  ),
});
export type PreviewAnswer = Readonly<Static<typeof PreviewAnswerSchema>>;

import { type Static, Type } from '@sinclair/typebox';
import { DefinitionChangeSchema } from './create-target';
import { count, maybe, oneOf, text, truth } from './shapes';
import { StartRequestSchema } from './migration-options';
import type { PlanCheckId } from './plan-checks';

/** What of the body of `_plan` is not in the body of `_start`. */
export const PlanTrialSchema = Type.Object(
  {
    documents: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        default: 1_000,
        description: 'Documents of the source that are tried; 0: none.',
      }),
    ),
    seconds: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        default: 3,
        description: 'How long to read for the estimates, and to try a script.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The body of `_plan`. */
export const PlanRequestSchema = Type.Composite([StartRequestSchema, PlanTrialSchema], {
  additionalProperties: false,
});

const RefusedSchema = Type.Array(
  Type.Object({
    reason: text('without values of documents'),
    count: count('documents of this reason'),
    ids: Type.Array(Type.String(), { description: 'ten at the most' }),
  }),
);
const Estimate = maybe(Type.Object({ value: Type.Number(), how: text('how it was found') }));

const verdict = (description: string) => oneOf(['ok', 'warn', 'refuse'], description);

const PlanCheckSchema = Type.Object({
  id: Type.Unsafe<PlanCheckId>({
    type: 'string',
    description: 'stays the same from version to version; docs/reference/plan.md lists them',
  }),
  verdict: verdict(
    'refuse: the start is refused, or the migration would fail. warn: it would go on, and a reader should know',
  ),
  evidence: text('what was seen'),
  remedy: maybe(text('what to do; absent: nothing')),
});
export type PlanCheck = Readonly<Static<typeof PlanCheckSchema>>;

/** The answer of `_plan`. */
export const PlanAnswerSchema = Type.Object({
  plan_id: text('for `plan` of the start, which is refused when anything that the plan saw has changed'),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  verdict: verdict('the worst of all checks'),
  checks: Type.Array(PlanCheckSchema, {
    description: 'in the order of the start. A check is left out where what it looks at is not there',
  }),
  differences: Type.Array(DefinitionChangeSchema, { description: 'of the target from the source' }),
  differences_truncated: truth('there are more differences than are listed'),
  documents: maybe(
    Type.Object(
      {
        looked_at: count('documents that were tried'),
        refused: maybe(RefusedSchema),
        script: maybe(
          Type.Object({
            changed: count('documents whose source is another one afterwards'),
            unchanged: count('documents whose source stays'),
            renamed: count('documents whose id or routing is another one afterwards'),
            collisions: Type.Array(Type.String(), { description: 'ids that several documents would have' }),
            fields: Type.Array(
              Type.Object({
                field: text('the path of a leaf'),
                added: count('documents in which it is new'),
                removed: count('documents in which it is gone'),
                changed: count('documents in which it has another value'),
              }),
            ),
            failed: RefusedSchema,
          }),
        ),
      },
      { description: 'absent: none was tried' },
    ),
  ),
  estimates: maybe(
    Type.Object(
      { documents: Estimate, bytes: Estimate, disk_bytes: Estimate, seconds: Estimate, pause_ms: Estimate },
      { description: 'absent: no document was tried' },
    ),
  ),
});
export type PlanAnswer = Readonly<Static<typeof PlanAnswerSchema>>;

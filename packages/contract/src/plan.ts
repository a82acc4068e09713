import { type Static, Type } from '@sinclair/typebox';
import { DefinitionChangeSchema } from './create-target';
import { StartRequestSchema } from './migration-options';
import type { PlanCheckId } from './plan-checks';

/** The body of `_plan`. */
export const PlanRequestSchema = Type.Composite([StartRequestSchema], { additionalProperties: false });

const verdict = (description: string) =>
  Type.Unsafe<'ok' | 'warn' | 'refuse'>({ type: 'string', enum: ['ok', 'warn', 'refuse'], description });

const PlanCheckSchema = Type.Object({
  id: Type.Unsafe<PlanCheckId>({
    type: 'string',
    description: 'stays the same from version to version; docs/reference/plan.md lists them',
  }),
  verdict: verdict(
    'refuse: the start is refused, or the migration would fail. warn: it would go on, and a reader should know',
  ),
  evidence: Type.String({ description: 'what was seen' }),
  remedy: Type.Optional(Type.String({ description: 'what to do; absent: nothing' })),
});
export type PlanCheck = Readonly<Static<typeof PlanCheckSchema>>;

/** The answer of `_plan`. */
export const PlanAnswerSchema = Type.Object({
  plan_id: Type.String({
    description: 'for `plan` of the start, which is refused when anything that the plan saw has changed',
  }),
  source_index: Type.String(),
  target_index: Type.String(),
  alias: Type.String(),
  verdict: verdict('the worst of all checks'),
  checks: Type.Array(PlanCheckSchema, {
    description: 'in the order of the start. A check is left out where what it looks at is not there',
  }),
  differences: Type.Array(DefinitionChangeSchema, { description: 'of the target from the source' }),
  differences_truncated: Type.Boolean({ description: 'there are more differences than are listed' }),
});
export type PlanAnswer = Readonly<Static<typeof PlanAnswerSchema>>;

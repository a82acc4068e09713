import { type TSchema, Type } from '@sinclair/typebox';
import { CancelAnswerSchema, CutoverAnswerSchema, StartAnswerSchema, StartCheckSchema } from '../answers';
import { CreateTargetAnswerSchema, CreateTargetRequestSchema } from '../create-target';
import { CutoverRequestSchema } from '../cutover-options';
import { StartRequestSchema } from '../migration-options';
import { PlanAnswerSchema, PlanRequestSchema } from '../plan';
import { PreviewAnswerSchema, PreviewRequestSchema } from '../preview';
import { RetryAnswerSchema } from '../set-aside';
import { VerificationAnswerSchema, VerifyRequestSchema } from '../verification';
import { ok, type Operation, operation } from './operation';
import { flag, sourceIndex } from './parameters';

/** The handler reports what is missing together with everything else, so its schema does not require it. */
const requiring = (schema: TSchema, ...required: readonly string[]) => Type.Unsafe({ ...schema, required });

/** What changes the migration of a source. All but start and cancel is beside the contract. */
function ofSource(
  name: string,
  described: Parameters<typeof operation>[2],
  ...errors: NonNullable<Parameters<typeof operation>[3]>
): Operation {
  const parameters = [sourceIndex, ...(described.parameters ?? [])];
  return operation(
    'post',
    `/_plugins/_aosc/{index}/${name}`,
    { role: 'operate', ...described, parameters },
    errors,
  );
}

/** What prepares and begins a migration. */
export const beginnings: readonly Operation[] = [
  ofSource(
    '_start',
    {
      operationId: 'aosc_start_migration',
      action: 'start',
      summary: 'Start a migration',
      description:
        'Copies the source into an existing, empty target while writes go on, and then moves the alias. A start that is refused writes nothing, and gives the first reason; a dry run gives all of them, in `root_cause`.',
      parameters: [flag('dry_run', false, 'Check everything that a start checks, and change nothing.')],
      body: {
        schema: requiring(StartRequestSchema, 'target_index', 'alias'),
        description: 'Where to, under which alias, and how.',
      },
      answers: ok(
        'The migration is written down and will run; or, with `dry_run`, would be.',
        Type.Union([StartAnswerSchema, StartCheckSchema]),
      ),
    },
    'validation_failed',
    'precondition_failed',
    'conflict',
  ),
  ofSource(
    '_plan',
    {
      operationId: 'aosc_plan_migration',
      action: 'plan',
      summary: 'See what a start would meet',
      description:
        'Checks everything that a start checks, and what a start does not look at, and answers all of it at once. It tries documents in a scratch index, which it removes. Both indices stay as they are.',
      body: {
        schema: requiring(PlanRequestSchema, 'target_index', 'alias'),
        description: 'The body of the start, and how much to try.',
      },
      answers: ok('What was seen.', PlanAnswerSchema),
    },
    'validation_failed',
  ),
  ofSource(
    '_create_target',
    {
      operationId: 'aosc_create_target',
      action: 'create_target',
      summary: 'Create an index to migrate into',
      description:
        'Takes the settings and the mapping of the source, applies the changes that are asked for, and creates an index from them. It never changes an index that exists.',
      parameters: [flag('dry_run', false, 'Show what would be created and create nothing.')],
      body: {
        schema: requiring(CreateTargetRequestSchema, 'target_index'),
        description: 'The name, and what differs from the source.',
      },
      answers: ok('What was, or would be, created.', CreateTargetAnswerSchema),
    },
    'validation_failed',
    'precondition_failed',
    'conflict',
  ),
  ofSource(
    '_preview_transform',
    {
      operationId: 'aosc_preview_transform',
      action: 'preview_transform',
      summary: 'Try a transform on documents of a source',
      description:
        'Runs the script on some documents as a start does before it writes anything, and shows them before and after. Nothing is written. It shows documents, so it needs the permission transform.',
      body: { schema: PreviewRequestSchema, description: 'The script.' },
      answers: ok('The documents.', PreviewAnswerSchema),
    },
    'validation_failed',
    'precondition_failed',
  ),
];

/** What an operator asks of a migration that runs. */
export const orders: readonly Operation[] = [
  ofSource(
    '_cancel',
    {
      operationId: 'aosc_cancel_migration',
      action: 'cancel',
      summary: 'Cancel the migration of a source',
      description: 'Asks for the end; poll the status until CANCELLED or FAILED.',
      answers: ok('The phase it is in now.', CancelAnswerSchema),
    },
    'not_found',
    'conflict',
  ),
  ofSource(
    '_cutover',
    {
      operationId: 'aosc_order_cutover',
      action: 'cutover',
      summary: 'Approve the cutover of a migration, or postpone it',
      description:
        'Without a body the cutover is approved: it begins when the copy is close enough and a window is open. The last word counts. Once writes are held or blocked for the swap, a postponement is refused.',
      body: { schema: CutoverRequestSchema, description: 'Without a body: approve.', isOptional: true },
      answers: ok('The order is recorded.', CutoverAnswerSchema),
    },
    'validation_failed',
    'not_found',
    'conflict',
  ),
  ofSource(
    '_set_aside/_retry',
    {
      operationId: 'aosc_retry_set_aside',
      action: 'retry_set_aside',
      summary: 'Write the documents again that the target refuses',
      description: 'The next look of each shard does so. What the target takes then is set aside no more.',
      answers: ok('It is recorded.', RetryAnswerSchema),
    },
    'not_found',
    'conflict',
  ),
  ofSource(
    '_verify',
    {
      operationId: 'aosc_verify_migration',
      action: 'verify',
      summary: 'Compare source and target by content',
      description:
        'Of a running migration, where it waits until every shard has converged, or of a completed one. Changes no document. Poll the same path until done or failed.',
      body: { schema: VerifyRequestSchema, description: 'May be left out.', isOptional: true },
      answers: ok('It has begun.', VerificationAnswerSchema),
    },
    'validation_failed',
    'not_found',
    'conflict',
  ),
];

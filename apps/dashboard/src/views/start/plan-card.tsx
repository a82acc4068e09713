import { ApiError, type Plan, type StartRequest } from '@aosc/client';
import { useState } from 'react';
import { reasonAgainst, reasonAgainstScripts, useSession } from '../../api/session';
import { ActionButton, ErrorNote } from '../../ui/parts';
import type { StartForm } from './form-state';
import { NewTarget } from './new-target';
import { PlanResult } from './plan-result';
import { checksOf, counted, sumOf } from './plan-words';
import { Question } from './question';
import { usePlan, useStart } from './use-start';

/** What decides which target is made. */
const placeFields = ['source', 'target', 'shards', 'settings', 'mappings'];

/** The plan of the form's start, and the start that follows it. Results come below the buttons, which stay in place. */
export function PlanCard({
  form,
  request,
  problems,
  wrong,
  onAsk,
}: {
  readonly form: StartForm;
  /** of the start */
  readonly request: StartRequest;
  readonly problems: ReadonlyMap<string, string>;
  /** how many fields the reader sees marked */
  readonly wrong: number;
  readonly onAsk: () => void;
}) {
  const session = useSession();
  const [isAsked, setAsked] = useState(false);
  const plan = usePlan(form, request);
  // A request leaves out what is wrong in the form, so it may be that of a form that was right.
  const found = problems.size === 0 ? plan.found : undefined;
  const start = useStart(form.source.trim(), plan.discard);
  const refused = start.variables?.key === plan.key ? start.error : null;
  const why =
    reasonAgainst(session, 'operate') ?? (request.transform_script && reasonAgainstScripts(session));
  const canStart = found !== undefined && found.verdict !== 'refuse';
  const isPlaced = !placeFields.some((field) => problems.has(field));
  const ask = (): void => {
    onAsk();
    start.reset();
    setAsked(false);
    if (problems.size === 0) plan.make();
  };
  return (
    <section className="card stack plan" aria-label="Plan">
      <h2>Plan</h2>
      <div className="plan-buttons">
        <ActionButton
          kind={canStart || plan.isRunning ? 'plain' : 'main'}
          why={why}
          onPress={plan.isRunning ? plan.discard : ask}
        >
          {labelOf(plan, found !== undefined || refused !== null)}
        </ActionButton>
        <ActionButton
          kind={canStart ? 'main' : 'plain'}
          why={canStart ? undefined : found === undefined ? 'Plan first.' : 'The plan refuses it.'}
          isBusy={start.isPending}
          onPress={() => setAsked(true)}
        >
          Review and start
        </ActionButton>
      </div>
      <p role="status" className="plan-state">
        {plan.isRunning ? describeRun(plan, form) : describeRest({ wrong, found, refused })}
      </p>
      {refused !== null && <ErrorNote error={refused} title={titleOf(refused)} />}
      {plan.error !== null && <ErrorNote error={plan.error} title="There is no plan" />}
      {plan.isMade && (
        <p className="quiet">{form.target.trim()} was made for the plan. It stays until you delete it.</p>
      )}
      {found !== undefined && <PlanResult plan={found} />}
      {plan.makesTarget && isPlaced && why === undefined && !plan.isRunning && plan.error === null && (
        <NewTarget form={form} />
      )}
      <Question
        form={form}
        request={{ ...request, ...(found && { plan: found.plan_id }) }}
        warnings={found === undefined ? [] : checksOf(found, 'warn')}
        isOpen={isAsked && canStart}
        isBusy={start.isPending}
        onClose={() => setAsked(false)}
        onStart={(planned) =>
          start.mutate({ request: planned, key: plan.key }, { onSettled: () => setAsked(false) })
        }
      />
    </section>
  );
}

type PlanOfForm = ReturnType<typeof usePlan>;

function labelOf({ isRunning, makesTarget, error }: PlanOfForm, isAgain: boolean): string {
  if (isRunning) return 'Cancel the plan';
  if (makesTarget) return 'Make the target and plan';
  return isAgain || error !== null ? 'Plan again' : 'Plan';
}

function describeRun({ makesTarget }: PlanOfForm, { target }: StartForm): string {
  return makesTarget
    ? `Making ${target.trim()}…`
    : 'Making all checks, and trying documents. It may take half a minute.';
}

/** Without an answer the page does not know. */
const titleOf = (error: Error): string =>
  error instanceof ApiError ? 'Nothing was started' : 'The API may have started it';

interface Rest {
  readonly wrong: number;
  readonly found: Plan | undefined;
  readonly refused: Error | null;
}

function describeRest({ wrong, found, refused }: Rest): string {
  if (wrong > 0) return `${counted(wrong, 'field')} ${wrong === 1 ? 'is' : 'are'} missing or wrong.`;
  if (refused !== null) return 'Plan again: a new plan shows what is there now.';
  if (found !== undefined) return sumOf(found);
  return 'A plan makes all checks of the start, tries documents of the source, and estimates what the migration needs. It changes neither index.';
}

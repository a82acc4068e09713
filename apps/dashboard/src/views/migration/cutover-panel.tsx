import type { StatusDocument } from '@aosc/contract';
import { formatExact } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { Moment } from '../../ui/parts';

type StepState = 'done' | 'failed' | 'now' | 'open';
interface Step {
  readonly text: string;
  readonly state: StepState;
}
const stateNames: Readonly<Record<StepState, string>> = {
  done: 'done',
  failed: 'not done',
  now: 'under way',
  open: 'to come',
};

/** The cutover with its steps, and how long writes could not be taken. */
export function CutoverPanel({ status }: { readonly status: StatusDocument }) {
  const context = status.cutover_context;
  if (context === undefined) return undefined;
  const { source_doc_count: inSource, target_doc_count: inTarget } = context;
  return (
    <section aria-label="Cutover">
      <h2>Cutover</h2>
      <ol className="steps">
        {stepsOf(status).map(({ text, state }) => (
          <li key={text} className={`step-${state}`}>
            {text} <span className="sub">{stateNames[state]}</span>
          </li>
        ))}
      </ol>
      <dl className="figures">
        <div>
          <dt>Began</dt>
          <dd>
            <Moment at={context.cutover_start_millis} />
          </dd>
        </div>
        {context.cutover_end_millis !== undefined && (
          <div>
            <dt>Took</dt>
            <dd>{formatDuration(context.cutover_end_millis - context.cutover_start_millis)}</dd>
          </div>
        )}
        {inSource !== undefined && (
          <div>
            <dt>Documents in the source</dt>
            <dd>{formatExact(inSource)}</dd>
          </div>
        )}
        {inTarget !== undefined && (
          <div>
            <dt>Documents in the target</dt>
            <dd>
              {formatExact(inTarget)}
              {inSource !== undefined && inSource !== inTarget && (
                <span className="sub">accepted difference: {context.doc_count_tolerance}</span>
              )}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function stepsOf({ phase, cutover_context: context, meta }: StatusDocument): readonly Step[] {
  const hasFailed = ['CANCELLING', 'CANCELLED', 'FAILING', 'FAILED'].includes(phase);
  const at = ['CUTTING_OVER', 'CATCHING_UP', 'COMPLETING', 'COMPLETED'].indexOf(phase);
  const done = [
    at > 0,
    at > 1,
    context?.doc_count_validation_passed === true,
    context?.alias_swap_succeeded === true || meta['alias.swapped'] === 'true',
  ];
  const texts = [
    'Block writes to the source',
    'Replay the last operations',
    'Compare the counts',
    'Move the alias',
  ];
  const current = done.indexOf(false);
  return texts.map((text, index) => ({
    text,
    state: done[index] === true ? 'done' : index !== current ? 'open' : hasFailed ? 'failed' : 'now',
  }));
}

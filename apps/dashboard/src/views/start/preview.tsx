import type { Plan, TargetCreation } from '@aosc/client';
import { ErrorNote, Fold, Note } from '../../ui/parts';
import type { StartForm } from './form-state';
import { stepsOfStart } from './steps-of-start';

export interface PreviewState {
  /** of a target that would be made; undefined: it is not known yet, or the target exists */
  readonly target: TargetCreation | undefined;
  readonly error: Error | null;
  /** what a start would go on in spite of */
  readonly warnings: readonly Plan['checks'][number][];
}

const modes: Readonly<Record<TargetCreation['shard_routing_mode'], string>> = {
  SAME_SHARD: 'Each document stays in the shard of the same number.',
  SPLIT_SHARD: 'Each shard of the source becomes several of the target. Custom routing is kept.',
  BULK_API:
    'Documents are routed by new rules, which a start must accept: two documents of one id and different routing can not both live in one shard.',
};

/** Stands beside the form and shows what it would do, as soon as enough is known. */
export function Preview({
  form,
  preview: { target, error, warnings },
  aliases,
  isComplete,
}: {
  readonly form: StartForm;
  readonly preview: PreviewState;
  /** of the source */
  readonly aliases: readonly string[];
  /** all fields that matter for it are there and right */
  readonly isComplete: boolean;
}) {
  return (
    <section className="card stack preview" aria-label="What will happen">
      <h2>What will happen</h2>
      {isComplete ? (
        <ol className="stack-small">
          {stepsOfStart(form, target, aliases).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ol>
      ) : (
        <p className="quiet">Choose source, alias and target first.</p>
      )}
      <Warnings warnings={warnings} />
      {error !== null && <ErrorNote error={error} title="It would be refused" />}
      {target !== undefined && <Difference answer={target} />}
    </section>
  );
}

/** What a start does not refuse, and the reader should know. */
export function Warnings({ warnings }: Pick<PreviewState, 'warnings'>) {
  return warnings.map(({ id, evidence, remedy }) => (
    <Note key={`${id} ${evidence}`} kind="wait" title={evidence}>
      {remedy !== undefined && <p>{remedy}</p>}
    </Note>
  ));
}

function Difference({ answer }: { readonly answer: TargetCreation }) {
  return (
    <>
      <Note kind="plain">
        <p>
          {modes[answer.shard_routing_mode]} <code>{answer.shard_routing_mode}</code>
        </p>
      </Note>
      {(answer.changes.length > 0 || answer.left_out.length > 0) && (
        <Fold title="Differences" note={`of ${answer.target_index} from ${answer.source_index}`}>
          <div className="table-frame" role="region" aria-label="Differences" tabIndex={0}>
            <table>
              <tbody>
                {answer.changes.map(({ path, source, target }) => (
                  <tr key={path}>
                    <th scope="row">
                      <code>{path}</code>
                    </th>
                    <td>{source === undefined ? <em>nothing</em> : <del>{JSON.stringify(source)}</del>}</td>
                    <td>{target === undefined ? <em>nothing</em> : <ins>{JSON.stringify(target)}</ins>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {answer.left_out.length > 0 && (
            <ul>
              {answer.left_out.map(({ setting, reason }) => (
                <li key={setting}>
                  <code>{setting}</code> is left out: {reason}
                </li>
              ))}
            </ul>
          )}
        </Fold>
      )}
    </>
  );
}

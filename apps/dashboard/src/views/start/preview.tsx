import type { TargetCreation } from '@aosc/client';
import { ErrorNote, Fold, Note } from '../../ui/parts';
import { isMadeOfFiles, type StartForm } from './form-state';

export interface PreviewState {
  /** of a target that would be made; undefined: it is not known yet, or the target exists */
  readonly target: TargetCreation | undefined;
  readonly error: Error | null;
}

const modes: Readonly<Record<TargetCreation['shard_routing_mode'], string>> = {
  SAME_SHARD: 'Each document stays in the shard of the same number.',
  SPLIT_SHARD: 'Each shard of the source becomes several of the target. Custom routing is kept.',
  BULK_API:
    'Documents are routed by new rules, which a start must accept: two documents of one id and different routing can not both live in one shard.',
};

/** What will happen, in order. @param aliases of the source */
export function stepsOfStart(
  form: StartForm,
  target: TargetCreation | undefined,
  aliases: readonly string[],
): readonly string[] {
  const [source, name] = [form.source.trim(), form.target.trim()];
  const isOfFiles = isMadeOfFiles(form);
  const documents = isOfFiles ? 'Documents that change since' : 'Documents';
  return [
    ...(form.makesTarget ? [`${name} is made${describeTarget(source, target)}.`] : []),
    ...(isOfFiles ? [`It gets the files of ${source}: writes are refused for some tenths of a second.`] : []),
    `${form.script.trim() === '' ? documents : 'Documents, changed by your script,'} are copied from ${source} to ${name} while applications go on writing.`,
    ...(form.options.get('rehearse') === 'true'
      ? ['Every document is verified. Then the rehearsal ends: no write is refused, and no alias moves.']
      : stepsOfCutover(form, aliases)),
  ];
}

function stepsOfCutover(form: StartForm, aliases: readonly string[]): readonly string[] {
  const [source, name, alias] = [form.source.trim(), form.target.trim(), form.alias.trim()];
  const left = aliases.filter((each) => each !== alias);
  const keepsBlock = form.options.get('remove_source_write_block_on_success') !== 'true';
  return [
    'Writes wait or are refused for a moment, mostly about a second: applications have to send refused ones again.',
    form.createsAlias
      ? `The alias ${alias} is created on ${name}.`
      : `The alias ${alias} moves from ${source} to ${name}.`,
    keepsBlock
      ? `${source} keeps its documents and takes no writes any more.`
      : `${source} keeps its documents, and takes writes again.`,
    ...(left.length > 0 ? [`${left.join(', ')} ${left.length === 1 ? 'stays' : 'stay'} on ${source}.`] : []),
  ];
}

function describeTarget(source: string, target: TargetCreation | undefined): string {
  if (target === undefined) return ` from ${source}`;
  const { settings } = target.definition;
  const shards = settings['index.number_of_shards'];
  const size = typeof shards === 'string' || typeof shards === 'number' ? ` with ${shards} shards` : '';
  return `${size}, like ${source}${target.changes.length === 0 ? '' : `, with ${target.changes.length} ${target.changes.length === 1 ? 'difference' : 'differences'}`}`;
}

/** Stands beside the form and shows what it would do, as soon as enough is known. */
export function Preview({
  form,
  preview: { target, error },
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
      {error !== null && <ErrorNote error={error} title="It would be refused" />}
      {target !== undefined && <Difference answer={target} />}
    </section>
  );
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

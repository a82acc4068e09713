import type { PreviewAnswer, StartRequestWire } from '@aosc/contract';
import { useMutation } from '@tanstack/react-query';
import { previewTransform } from '../../api/endpoints';
import { reasonAgainst, useSession } from '../../api/session';
import { ActionButton, ErrorNote } from '../../ui/parts';
import { diffLines } from './diff-lines';
import { Field } from './fields';
import { parseJson, type StartForm } from './form-state';

/** A Painless script on each document, tried on documents of the source. */
export function TransformEditor({
  form,
  body,
  problem,
  onChange,
}: {
  readonly form: StartForm;
  /** of the start */
  readonly body: Readonly<Record<string, unknown>>;
  readonly problem: string | undefined;
  readonly onChange: (parts: Partial<StartForm>) => void;
}) {
  const session = useSession();
  const source = form.source.trim();
  const { target_index, transform_script } = body as StartRequestWire;
  const preview = useMutation({
    mutationFn: () =>
      previewTransform(source, {
        ...(transform_script !== undefined && { transform_script }),
        ...(target_index !== undefined && { target_index }),
      }),
  });
  const change = (parts: Partial<StartForm>): void => {
    preview.reset();
    onChange(parts);
  };
  const mayNot =
    session?.principal?.may_transform === false ? 'Your role needs the permission transform.' : undefined;
  const why =
    reasonAgainst(session, 'operate') ??
    mayNot ??
    (source === ''
      ? 'Name the source first.'
      : form.script.trim() === ''
        ? 'There is no script.'
        : undefined);
  return (
    <>
      <Field
        label="Painless script"
        isLong
        isCode
        help="Left empty: documents are copied byte by byte. ctx._source is the document."
        value={form.script}
        problem={problem}
        onChange={(script) => change({ script })}
      />
      <Field
        label="Parameters"
        isLong
        isCode
        help='A JSON object that the script sees as params: {"tax": 1.19}.'
        value={form.scriptParams}
        onChange={(scriptParams) => change({ scriptParams })}
      />
      <ActionButton why={why} isBusy={preview.isPending} onPress={() => preview.mutate()}>
        Try it on documents of the source
      </ActionButton>
      {preview.error !== null && <ErrorNote error={preview.error} title="The script does not work" />}
      {preview.data !== undefined && <Documents documents={preview.data.documents} />}
    </>
  );
}

function Documents({ documents }: { readonly documents: PreviewAnswer['documents'] }) {
  if (documents.length === 0)
    return <p role="status">The script compiles. The source has no documents to try it on.</p>;
  return (
    <div role="status">
      {documents.map(({ before, after, failure }) => (
        <figure key={before.id} className="copyable">
          <figcaption>
            <span>
              Document <code>{before.id}</code>
              {after !== undefined && after.id !== before.id && (
                <>
                  {' '}
                  becomes <code>{after.id}</code>
                </>
              )}
            </span>
          </figcaption>
          {failure !== undefined && (
            <p className="note note-bad">
              {failure.type}: {failure.reason}
            </p>
          )}
          {after !== undefined && <Diff before={pretty(before.source)} after={pretty(after.source)} />}
          {(before.is_part || after?.is_part === true) && (
            <p className="quiet">Only the beginning is shown.</p>
          )}
        </figure>
      ))}
    </div>
  );
}

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <pre tabIndex={0}>
      {diffLines(before, after).map(({ kind, text }, at) => {
        if (kind === 'added') return <ins key={at}>{`+ ${text}\n`}</ins>;
        if (kind === 'removed') return <del key={at}>{`- ${text}\n`}</del>;
        return <span key={at}>{`  ${text}\n`}</span>;
      })}
    </pre>
  );
}

/** In lines, where it is whole: for eyes alone, numbers beyond 2^53 are rounded here. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}

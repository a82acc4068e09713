import type { StartRequest, TransformPreview } from '@aosc/client';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client';
import { reasonAgainst, reasonAgainstScripts, useSession } from '../../api/session';
import { parseJson } from '../../schema/value-schemas';
import { Field } from '../../ui/field';
import { ActionButton, ErrorNote, Note } from '../../ui/parts';
import { diffLines } from './diff-lines';
import type { FormPartProps, TextField } from './where';

/** A Painless script for each document, with a trial on documents of the source. */
export function TransformEditor({
  form,
  bind,
  request,
}: FormPartProps & {
  /** of the start */
  readonly request: StartRequest;
}) {
  const session = useSession();
  const source = form.source.trim();
  const { transform_script: script } = request;
  const preview = useMutation({
    mutationFn: (script: NonNullable<StartRequest['transform_script']>) => {
      const { target_index: target } = request;
      return client.previewTransform(source, {
        transform_script: script,
        // A target that the start would create is not there yet, so the trial uses the source's mapping.
        ...(target !== '' && !form.makesTarget && { target_index: target }),
      });
    },
  });
  /** An edited script needs a new trial. */
  const edited = (field: TextField) => {
    const { onChange, ...bound } = bind(field);
    return {
      ...bound,
      onChange: (text: string) => {
        preview.reset();
        onChange(text);
      },
    };
  };
  const why =
    reasonAgainst(session, 'operate') ??
    reasonAgainstScripts(session) ??
    (source === ''
      ? 'Name the source first.'
      : form.script.trim() === ''
        ? 'There is no script.'
        : undefined);
  return (
    <>
      <Field
        label="Painless script"
        kind="code"
        help="Left empty: documents are copied byte by byte. ctx._source is the document."
        {...edited('script')}
      />
      <Field
        label="Parameters"
        kind="code"
        help='A JSON object that the script sees as params: {"tax": 1.19}.'
        {...edited('scriptParams')}
      />
      <ActionButton
        why={why}
        isBusy={preview.isPending}
        onPress={() => script !== undefined && preview.mutate(script)}
      >
        Try it on documents of the source
      </ActionButton>
      {preview.error !== null && <ErrorNote error={preview.error} title="The script does not work" />}
      {preview.data !== undefined && <Documents documents={preview.data.documents} />}
    </>
  );
}

function Documents({ documents }: { readonly documents: TransformPreview['documents'] }) {
  if (documents.length === 0)
    return <p role="status">The script compiles. The source has no documents to try it on.</p>;
  return (
    <div role="status" className="stack-small">
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
            <Note kind="bad">
              <p>
                {failure.type}: {failure.reason}
              </p>
            </Note>
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

/** In lines, where the document is complete. Only for display: numbers beyond 2^53 are rounded here. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}

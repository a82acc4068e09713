import { type ReactNode, useId, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { reasonAgainst, useSession } from '../api/session';
import { createTargetCommand, curlCommand, startCommand } from '../explain/commands';
import { optionDefaults } from '../explain/option-names';
import { useFleet } from '../live/fleet-context';
import { findBySource } from '../live/fleet-store';
import { Dialog } from '../ui/dialog';
import { ActionButton, Copyable, ErrorNote, Fold, Note } from '../ui/parts';
import { useSchemas, useSettings } from './settings/use-settings';
import {
  emptyForm,
  isMadeOfFiles,
  problemsOf,
  type StartForm,
  startRequestOf,
  targetRequestOf,
} from './start/form-state';
import { OptionFields } from './start/option-fields';
import { Preview, Warnings } from './start/preview';
import { stepsOfStart } from './start/steps-of-start';
import { TransformEditor } from './start/transform-editor';
import { StartRefusedError, useIndexList, useStart, usePreview } from './start/use-start';
import { SourceFields, TargetFields, type TextField } from './start/where';

/** What decides which target is made. */
const placeFields = ['source', 'target', 'shards', 'settings', 'mappings'];

/** Starts a migration: four fields and a preview; options that few need are folded. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function StartView() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const session = useSession();
  const [form, setForm] = useState<StartForm>({ ...emptyForm, source: params.get('source') ?? '' });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const { data: schemas, error } = useSchemas();
  const { rows: settings } = useSettings(() => undefined);
  const indices = useIndexList(form.source);
  const aliases = indices.find(({ name }) => name === form.source.trim())?.aliases;
  const context = { schemas: schemas?.options ?? new Map(), defaults: optionDefaults(settings), aliases };
  const problems = problemsOf(form, context);
  const isPlaced = !placeFields.some((field) => problems.has(field));
  const request = startRequestOf(form, context);
  const forbidden = reasonAgainst(session, 'operate');
  // Each look of the preview is a request that needs the same role as the start.
  const mayAsk = forbidden === undefined;
  const preview = usePreview(form, request, {
    isPlaced: mayAsk && isPlaced,
    isComplete: mayAsk && problems.size === 0,
  });
  const source = form.source.trim();
  const start = useStart((id) => {
    void navigate(`/migrations/${encodeURIComponent(source)}/${encodeURIComponent(id)}`);
  });
  const running = useFleet(({ migrations }) => findBySource(migrations, source));
  const change = (parts: Partial<StartForm>): void => {
    start.reset();
    setForm((before) => ({ ...before, ...parts }));
  };
  const judge = (field: string) => ({
    problem: left.has(field) ? problems.get(field) : undefined,
    onLeave: () => setLeft((before) => new Set([...before, field])),
  });
  const bind = (field: TextField) => ({
    value: form[field],
    onChange: (text: string) => change({ [field]: text }),
    ...judge(field),
  });
  const part = { form, change, judge, bind };
  const why =
    forbidden ?? (running?.is_terminal === false ? 'A migration of this index runs already.' : undefined);
  const review = (): void => {
    // Pressing the button counts as having left every field.
    setLeft(new Set([...left, ...problems.keys()]));
    if (problems.size === 0) setAsked(true);
  };
  return (
    <div className="stack">
      <title>Start · AOSC</title>
      <div>
        <h1>Start a migration</h1>
        <p className="quiet">A start that is refused changes nothing.</p>
      </div>
      {error !== null && <ErrorNote error={error} title="The API's description can not be read" />}
      <div className="start">
        <div className="stack">
          <Part title="From">
            <SourceFields {...part} indices={indices} />
          </Part>
          <Part title="To">
            <TargetFields {...part} indices={indices} />
          </Part>
          <section className="card stack" aria-label="More">
            <Fold
              title="Transform"
              note={form.script.trim() === '' ? 'documents are copied as they are' : 'by a script'}
            >
              <TransformEditor {...part} request={request} />
            </Fold>
            <Fold title="Options" note={describeOptions(Object.keys(request.options ?? {}).length)}>
              <OptionFields {...part} schemas={context.schemas} defaults={context.defaults} />
            </Fold>
          </section>
          <Refusal error={start.error} />
          <div className="row">
            <ActionButton kind="main" why={why} isBusy={start.isPending} onPress={review}>
              Review and start
            </ActionButton>
            {left.size > 0 && problems.size > 0 && (
              <span className="quiet" role="status">
                {problems.size === 1 ? 'One field is' : `${problems.size} fields are`} missing or wrong.
              </span>
            )}
          </div>
        </div>
        <Preview
          form={form}
          preview={preview}
          aliases={aliases ?? []}
          isComplete={isPlaced && !problems.has('alias')}
        />
      </div>
      <Dialog title={`Start the migration of ${source}?`} isOpen={isAsked} onClose={() => setAsked(false)}>
        <ol className="stack-small">
          {stepsOfStart(form, preview.target, aliases ?? []).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ol>
        <Warnings warnings={preview.warnings} />
        <div className="buttons">
          <ActionButton onPress={() => setAsked(false)}>Back</ActionButton>
          <ActionButton
            kind="main"
            isBusy={start.isPending}
            onPress={() => start.mutate({ form, request }, { onSettled: () => setAsked(false) })}
          >
            Start the migration
          </ActionButton>
        </div>
        <Fold title="The same as commands">
          <Commands form={form} request={request} />
        </Fold>
      </Dialog>
    </div>
  );
}

function Commands({
  form,
  request,
}: {
  readonly form: StartForm;
  readonly request: ReturnType<typeof startRequestOf>;
}) {
  const source = form.source.trim();
  const path = (action: string) => `/_plugins/_aosc/${encodeURIComponent(source)}/${action}`;
  const target = targetRequestOf(form);
  return (
    <>
      {form.makesTarget && !isMadeOfFiles(form) && (
        <>
          <Copyable
            label="curl, the target"
            text={curlCommand(location.origin, 'POST', path('_create_target?dry_run=false'), target)}
          />
          <Copyable label="aosc, the target" text={createTargetCommand(location.origin, source, target)} />
        </>
      )}
      <Copyable
        label="curl, the start"
        text={curlCommand(location.origin, 'POST', path('_start'), request)}
      />
      <Copyable label="aosc, the start" text={startCommand(location.origin, source, request)} />
    </>
  );
}

/** A refused start may have created its target before. */
function Refusal({ error }: { readonly error: Error | null }) {
  if (error === null) return undefined;
  if (!(error instanceof StartRefusedError)) return <ErrorNote error={error} title="Nothing was started" />;
  return (
    <>
      <Note kind="wait" title={`${error.made.target_index} was made, and nothing was started.`}>
        <p>Choose “Use an empty index” for the next try.</p>
      </Note>
      <ErrorNote error={error.cause} title="Nothing was started" />
    </>
  );
}

function describeOptions(count: number): string {
  return count === 0 ? 'all at their defaults' : count === 1 ? '1 changed' : `${count} changed`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

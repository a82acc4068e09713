import { type ReactNode, useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import { optionDefaults } from '../explain/option-names';
import { ErrorNote, Fold } from '../ui/parts';
import { useSchemas, useSettings } from './settings/use-settings';
import { emptyForm, problemsOf, type StartForm, startRequestOf } from './start/form-state';
import { OptionFields } from './start/option-fields';
import { PlanCard } from './start/plan-card';
import { TransformEditor } from './start/transform-editor';
import { useIndexList } from './start/use-start';
import { SourceFields, TargetFields, type TextField } from './start/where';

/** Starts a migration: four fields and a plan; options that few need are folded. */
export default function StartView() {
  const [params] = useSearchParams();
  const [form, setForm] = useState<StartForm>({ ...emptyForm, source: params.get('source') ?? '' });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { data: schemas, error } = useSchemas();
  const { rows: settings } = useSettings(() => undefined);
  const indices = useIndexList(form.source);
  const aliases = indices.find(({ name }) => name === form.source.trim())?.aliases;
  const context = { schemas: schemas?.options ?? new Map(), defaults: optionDefaults(settings), aliases };
  const problems = problemsOf(form, context);
  const request = startRequestOf(form, context);
  const change = (parts: Partial<StartForm>) => setForm((before) => ({ ...before, ...parts }));
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
        </div>
        <PlanCard
          form={form}
          request={request}
          problems={problems}
          wrong={[...problems.keys()].filter((field) => left.has(field)).length}
          // Pressing the button counts as having left every field.
          onAsk={() => setLeft(new Set([...left, ...problems.keys()]))}
        />
      </div>
    </div>
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

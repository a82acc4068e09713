import type { StartRequestWire } from '@aosc/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { places, startMigration } from '../api/endpoints';
import { readDocument } from '../api/request';
import { reasonAgainst, useSession } from '../api/session';
import { curlCommand, startCommand } from '../explain/commands';
import { useFleet } from '../live/fleet-context';
import { findBySource } from '../live/fleet-store';
import { ActionButton, Copyable, ErrorNote } from '../ui/parts';
import { CreateTarget } from './start/create-target';
import { Field, OptionField } from './start/fields';
import { emptyForm, readForm, type StartForm } from './start/form-state';
import { propertiesOf } from './start/schema-fields';
import { TransformEditor } from './start/transform-editor';

/** Starts a migration: every option, checked as it is typed. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function StartView() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const session = useSession();
  const [form, setForm] = useState<StartForm>({ ...emptyForm, source: params.get('source') ?? '' });
  const { data: document, error } = useQuery({
    queryKey: ['document'],
    queryFn: readDocument,
    staleTime: Infinity,
  });
  const options = useMemo(() => propertiesOf(document, 'MigrationOptions'), [document]);
  const { body, errors } = readForm(form, options);
  const problems = [
    ...errors,
    ...(document?.checkRequest(places.start, body) ?? []).map(({ path, message }) => ({
      field: path.join('.'),
      message,
    })),
    ...(form.source.trim() === '' ? [{ field: 'source', message: 'is required' }] : []),
  ];
  const start = useMutation({
    // The form was just held to the schema that this type is made from.
    mutationFn: () => startMigration(form.source.trim(), body as StartRequestWire),
    onSuccess: () => navigate(`/migrations/${encodeURIComponent(form.source.trim())}`),
  });
  const running = useFleet(({ migrations }) => findBySource(migrations, form.source.trim()));
  const change = (parts: Partial<StartForm>): void => {
    start.reset();
    setForm((before) => ({ ...before, ...parts }));
  };
  const problemOf = (field: string): string | undefined =>
    problems.find((problem) => problem.field === field || problem.field.startsWith(`${field}.`))?.message;
  const why = reasonAgainst(session, 'operate') ?? whyNot(problems.length, running?.is_terminal);
  const path = places.start.path.replace('{index}', encodeURIComponent(form.source.trim() || 'source'));
  return (
    <>
      <title>Start · AOSC</title>
      <h1>Start a migration</h1>
      <p className="quiet">
        It copies the source into an empty target while applications go on writing, and moves the alias at the
        end. A start that is refused changes nothing.
      </p>
      {error !== null && <ErrorNote error={error} title="The API's description can not be read" />}
      <Part title="1. From where to where">
        <Field
          label="Source index"
          help="Name of the open index itself; no alias, no wildcard."
          value={form.source}
          problem={form.source === '' ? undefined : problemOf('source')}
          onChange={(source) => change({ source })}
        />
        {running !== undefined && !running.is_terminal && (
          <p className="note note-wait">
            A migration of this index runs already:{' '}
            <Link to={`/migrations/${encodeURIComponent(running.source_index)}`}>look at it</Link>.
          </p>
        )}
        <Field
          label="Target index"
          help="An empty index. It is filled, and nothing of it is deleted. It can be made below, from the source."
          value={form.target}
          problem={form.target === '' ? undefined : problemOf('target_index')}
          onChange={(target) => change({ target })}
        />
        <Field
          label="Alias"
          help="The name that applications use. It moves from the source to the target in one step; one that exists nowhere is made."
          value={form.alias}
          problem={form.alias === '' ? undefined : problemOf('alias')}
          onChange={(alias) => change({ alias })}
        />
        <CreateTarget
          source={form.source.trim()}
          target={form.target.trim()}
          onAlias={(alias) => {
            if (form.alias === '') change({ alias });
          }}
        />
      </Part>
      <Part title="2. Options">
        {[...options].map(([name, schema]) => (
          <OptionField
            key={name}
            name={name}
            schema={schema}
            value={form.options.get(name) ?? ''}
            problem={problemOf(`options.${name}`)}
            onChange={(text) => change({ options: new Map([...form.options, [name, text]]) })}
          />
        ))}
      </Part>
      <Part title="3. Transform">
        <TransformEditor form={form} body={body} problem={problemOf('transform_script')} onChange={change} />
      </Part>
      <Part title="4. Start">
        {start.error !== null && <ErrorNote error={start.error} title="Nothing was started" />}
        <ActionButton kind="main" why={why} isBusy={start.isPending} onPress={() => start.mutate()}>
          Start the migration
        </ActionButton>
        <Copyable label="The same with curl" text={curlCommand(location.origin, 'POST', path, body)} />
        <Copyable label="The same with aosc" text={startCommand(location.origin, form.source.trim(), body)} />
      </Part>
    </>
  );
}

function whyNot(problems: number, isTerminal: boolean | undefined): string | undefined {
  if (isTerminal === false) return 'A migration of this index runs already.';
  return problems === 0
    ? undefined
    : `${problems === 1 ? 'One field is' : `${problems} fields are`} missing or wrong.`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

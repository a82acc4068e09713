import type { IndexList } from '@aosc/client';
import { Link } from 'react-router';
import { useFleet } from '../../live/fleet-context';
import { findBySource } from '../../live/fleet-store';
import { Field, type FieldProps } from '../../ui/field';
import { Fold, Note } from '../../ui/parts';
import type { StartForm } from './form-state';

export interface FormPartProps {
  readonly form: StartForm;
  readonly change: (parts: Partial<StartForm>) => void;
  /** what is wrong with a field that the reader has left, and what marks it as left */
  readonly judge: (field: string) => Pick<FieldProps, 'problem' | 'onLeave'>;
  /** the same with the text of the form, and where a changed one goes */
  readonly bind: (field: TextField) => Pick<FieldProps, 'value' | 'problem' | 'onChange' | 'onLeave'>;
}

/** Fields of the form that are one text. */
export type TextField = {
  [Name in keyof StartForm]: StartForm[Name] extends string ? Name : never;
}[keyof StartForm];

/** Source and alias, from the list of the cluster. */
export function SourceFields({
  form,
  change,
  bind,
  indices,
}: FormPartProps & { readonly indices: IndexList['indices'] }) {
  const running = useFleet(({ migrations }) => findBySource(migrations, form.source.trim()));
  const aliases = indices.find(({ name }) => name === form.source.trim())?.aliases;
  const choose = (source: string): void => {
    const own = indices.find(({ name }) => name === source)?.aliases;
    const [only] = own ?? [];
    const wasChosen = form.alias === '' || own?.includes(form.alias) === false;
    change({
      source,
      createsAlias: false,
      ...(own?.length === 1 && only !== undefined && wasChosen && { alias: only }),
    });
  };
  return (
    <>
      <Field
        label="Source index"
        help="The index whose documents are copied."
        placeholder="Choose or type"
        {...bind('source')}
        options={indices.map(({ name, aliases: own }) => ({ value: name, note: own.join(', ') }))}
        onChange={choose}
      />
      {running !== undefined && !running.is_terminal && (
        <Note kind="wait">
          <p>
            A migration of this index runs already:{' '}
            <Link to={`/migrations/${encodeURIComponent(running.source_index)}`}>look at it</Link>.
          </p>
        </Note>
      )}
      <Field
        label="Alias"
        help="The name that applications use. It moves from the source to the target in one step."
        placeholder="Choose or type"
        {...bind('alias')}
        options={(aliases ?? []).map((value) => ({ value }))}
        onChange={(alias) => change({ alias, createsAlias: false })}
      />
      <AliasQuestion form={form} aliases={aliases} change={change} />
    </>
  );
}

/** The swap creates an alias that is not on the source, if the reader confirms what that means for applications. */
function AliasQuestion({
  form: { source, alias, createsAlias },
  aliases,
  change,
}: Pick<FormPartProps, 'form' | 'change'> & { readonly aliases: readonly string[] | undefined }) {
  const name = alias.trim();
  if (name === '' || aliases === undefined || aliases.includes(name)) return undefined;
  const used = [source.trim(), ...aliases].join(', ');
  return (
    <Note kind="wait" title={`${name} is not an alias of ${source.trim()}.`}>
      <p>
        The swap can create it on the target. Applications that use {used} are not moved: they stay on{' '}
        {source.trim()}, which takes no writes after the swap.
      </p>
      <label className="check">
        <input
          type="checkbox"
          checked={createsAlias}
          onChange={({ target }) => change({ createsAlias: target.checked })}
        />
        <span>
          Create the alias, my applications use no other name <code className="label-code">create_alias</code>
        </span>
      </label>
    </Note>
  );
}

/** The target: made from the source, or an existing index. */
export function TargetFields({
  form,
  change,
  bind,
  indices,
}: FormPartProps & { readonly indices: IndexList['indices'] }) {
  const set = (makesTarget: boolean) => () => change({ makesTarget });
  return (
    <>
      <div className="segments" role="group" aria-label="The target">
        <button type="button" aria-pressed={form.makesTarget} onClick={set(true)}>
          Make a new index
        </button>
        <button type="button" aria-pressed={!form.makesTarget} onClick={set(false)}>
          Use an empty index
        </button>
      </div>
      <Field
        label="Target index"
        help={form.makesTarget ? 'The name of the new index.' : 'An empty index that exists.'}
        {...bind('target')}
        {...(!form.makesTarget && { options: indices.map(({ name }) => ({ value: name })) })}
      />
      {form.makesTarget && (
        <>
          <Field
            label="Shards"
            kind="number"
            placeholder="As many as the source"
            help="The same count, or that times a power of two, keeps custom routing."
            {...bind('shards')}
          />
          <label className="check">
            <input
              type="checkbox"
              checked={form.byFiles}
              onChange={({ target }) => change({ byFiles: target.checked })}
            />
            <span>
              Make it from the files of the source <code className="label-code">copy</code>
              <span className="help">
                Only what is written meanwhile is copied. Not with a script, another mapping, or fewer shards.
              </span>
            </span>
          </label>
          <Fold title="Settings and mapping that differ">
            <Field
              label="Settings that differ"
              kind="code"
              help='JSON by full name: {"index.number_of_replicas": 1}; null leaves a setting of the source out.'
              {...bind('settings')}
            />
            <Field
              label="Mapping that differs"
              kind="code"
              help='JSON that is merged into the mapping of the source: {"properties": {"year": {"type": "long"}}}; null removes.'
              {...bind('mappings')}
            />
          </Fold>
        </>
      )}
    </>
  );
}

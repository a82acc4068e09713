import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { changeSettings, places, readSettings } from '../api/endpoints';
import { readDocument } from '../api/request';
import { reasonAgainst, useSession } from '../api/session';
import { curlCommand, setCommand } from '../explain/commands';
import {
  diffSettings,
  listSettings,
  type ProfileName,
  profiles,
  type SettingDiff,
} from '../explain/profiles';
import { isObject, type Schema } from '../schema/check-schema';
import { Dialog } from '../ui/dialog';
import { ActionButton, Copyable, ErrorNote } from '../ui/parts';
import { describeRange } from './start/schema-fields';

/** The settings in force, what each does, and the two profiles. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function SettingsView() {
  const session = useSession();
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => readSettings(signal) });
  const { data: document } = useQuery({ queryKey: ['document'], queryFn: readDocument, staleTime: Infinity });
  const rows = useMemo(() => (data === undefined ? [] : listSettings(data)), [data]);
  const schemas = useMemo(() => schemasOf(document?.schema('SettingsRequest')), [document]);
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map());
  const [isOpen, setOpen] = useState(false);
  const apply = useMutation({
    mutationFn: (diff: readonly SettingDiff[]) =>
      changeSettings(Object.fromEntries(diff.map(({ name, to }) => [name, to === '' ? null : to]))),
    onSuccess: async () => {
      setOpen(false);
      setEdits(new Map());
      await queries.invalidateQueries({ queryKey: ['settings'] });
    },
  });
  const diff = diffSettings(rows, Object.fromEntries(edits));
  const why = reasonAgainst(session, 'admin');
  const take = (name: ProfileName): void =>
    setEdits(new Map([...edits, ...Object.entries(profiles[name].settings)]));
  return (
    <>
      <title>Settings · AOSC</title>
      <h1>Settings</h1>
      <p className="quiet">
        They hold for every migration, and each bulk and each page follows the values of its moment.
      </p>
      {error !== null && <ErrorNote error={error} title="The settings can not be read" />}
      <div className="profiles">
        {Object.entries(profiles).map(([name, { title, text, settings }]) => {
          const left = diffSettings(rows, settings).length;
          return (
            <section key={name} className="part" aria-label={title}>
              <h2>{title}</h2>
              <p>{text}</p>
              <p className="quiet">{describeLeft(left)}</p>
              <ActionButton why={why} onPress={() => take(name === 'careful' ? 'careful' : 'fast')}>
                Choose this profile
              </ActionButton>
            </section>
          );
        })}
      </div>
      <div className="sticky">
        <span role="status">
          {diff.length === 0
            ? 'Nothing is changed.'
            : diff.length === 1
              ? '1 change is not applied.'
              : `${diff.length} changes are not applied.`}
        </span>
        <ActionButton
          kind="main"
          why={why ?? (diff.length === 0 ? 'There is nothing to apply.' : undefined)}
          onPress={() => setOpen(true)}
        >
          Look at the changes
        </ActionButton>
      </div>
      <div className="table-frame" role="region" aria-label="All settings" tabIndex={0}>
        <table className="settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, value, isSet }) => {
              const schema = schemas.get(name);
              return (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    <span className="sub">{describe(schema)}</span>
                  </th>
                  <td>
                    <input
                      className="code"
                      aria-label={name}
                      value={edits.get(name) ?? value}
                      readOnly={why !== undefined}
                      onChange={({ target }) => setEdits(new Map([...edits, [name, target.value]]))}
                    />
                    <span className="sub">
                      {isSet ? 'set; empty takes it back to its default' : 'default'}
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Dialog title="Apply these settings?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ul className="diff">
          {diff.map(({ name, from, to }) => (
            <li key={name}>
              <code>{name}</code>: <del>{from === '' ? 'nothing' : from}</del>{' '}
              <ins>{to === '' ? 'its default' : to}</ins>
            </li>
          ))}
        </ul>
        <p>Running migrations follow them at once.</p>
        {apply.error !== null && <ErrorNote error={apply.error} title="Nothing was changed" />}
        <div className="buttons">
          <ActionButton onPress={() => setOpen(false)}>Back</ActionButton>
          <ActionButton kind="main" isBusy={apply.isPending} onPress={() => apply.mutate(diff)}>
            Apply
          </ActionButton>
        </div>
        <Copyable
          label="The same with curl"
          text={curlCommand(location.origin, 'PUT', places.changeSettings.path, {
            persistent: Object.fromEntries(diff.map(({ name, to }) => [name, to === '' ? null : to])),
          })}
        />
        <Copyable
          label="The same with aosc"
          text={setCommand(
            location.origin,
            diff.map(({ name, to }) => [name, to === '' ? null : to]),
          )}
        />
      </Dialog>
    </>
  );
}

function describeLeft(count: number): string {
  if (count === 0) return 'This is in force.';
  return count === 1 ? '1 setting differs.' : `${count} settings differ.`;
}

/** The schemas of all settings, from that of the request that sets them. */
function schemasOf(request: Schema | undefined): ReadonlyMap<string, Schema> {
  const scopes = request?.['properties'];
  const persistent = isObject(scopes) ? scopes['persistent'] : undefined;
  const properties = isObject(persistent) ? persistent['properties'] : undefined;
  if (!isObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, schema]) =>
      isObject(schema) ? [[name, schema] as const] : [],
    ),
  );
}

function describe(schema: Schema | undefined): string {
  if (schema === undefined) return '';
  const { description } = schema;
  return `${typeof description === 'string' ? description : ''}; ${describeRange({ default: schema['default'] })}`;
}

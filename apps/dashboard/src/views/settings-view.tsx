import { useCallback, useState } from 'react';
import { reasonAgainst, useSession } from '../api/session';
import { diffSettings, type ProfileName, profiles, type SettingRow } from '../explain/profiles';
import { settingGroups, settingTitle } from '../explain/setting-names';
import { problemOf } from '../schema/value-schemas';
import { ActionButton, ErrorNote } from '../ui/parts';
import { ChangesDialog } from './settings/changes-dialog';
import { SettingField } from './settings/setting-field';
import { useSchemas, useSettings } from './settings/use-settings';

/** The settings in force, grouped by purpose, and the two profiles. */
// eslint-disable-next-line max-lines-per-function -- the markup of one view, from top to bottom
export default function SettingsView() {
  const session = useSession();
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map());
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const { rows, error, apply } = useSettings(() => {
    setOpen(false);
    setEdits(new Map());
  });
  const { data: schemas } = useSchemas();
  const fallbackOf = (name: string) => schemas?.settings.get(name)?.fallback;
  const diff = diffSettings(rows, Object.fromEntries(edits));
  const wrong = diff.filter(
    ({ name, to }) => problemOf(to, schemas?.settings.get(name)) !== undefined,
  ).length;
  const why = reasonAgainst(session, 'admin');
  const change = useCallback(
    (name: string, value: string) => setEdits((before) => new Map([...before, [name, value]])),
    [],
  );
  const isShown = (row: SettingRow): boolean =>
    fitsSearch(row.name, text) &&
    (!isChangedOnly || edits.has(row.name) || (fallbackOf(row.name) ?? row.value) !== row.value);
  const shown = rows.filter(isShown);
  return (
    <div className="stack">
      <title>Settings · AOSC</title>
      <div>
        <h1>Settings</h1>
        <p className="quiet">
          They apply to every migration. Running ones follow a change with their next bulk.
        </p>
      </div>
      {error !== null && <ErrorNote error={error} title="The settings can not be read" />}
      <div className="profiles">
        {profileNames.map((name) => (
          <Profile
            key={name}
            name={name}
            left={diffSettings(rows, profiles[name].settings).length}
            why={why}
            onTake={() => setEdits(new Map([...edits, ...Object.entries(profiles[name].settings)]))}
          />
        ))}
      </div>
      <div className="filters">
        <label className="search">
          <span className="hidden">Search</span>
          <input
            type="search"
            value={text}
            placeholder="Search by name"
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={isChangedOnly}
            onChange={({ target }) => setChangedOnly(target.checked)}
          />
          <span>Changed only</span>
        </label>
      </div>
      {rows.length > 0 && shown.length === 0 && <p className="quiet">No setting fits.</p>}
      {settingGroups.map(({ title, prefixes }) => {
        const own = shown.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
        if (own.length === 0) return undefined;
        return (
          <section key={title} className="card settings" aria-label={title}>
            <h2>{title}</h2>
            {own.map(({ name, value }) => (
              <SettingField
                key={name}
                name={name}
                value={value}
                edit={edits.get(name)}
                schema={schemas?.settings.get(name)}
                isReadOnly={why !== undefined}
                onChange={change}
              />
            ))}
          </section>
        );
      })}
      <div className={`changes ${diff.length === 0 ? 'changes-none' : ''}`}>
        <span role="status">{describeChanges(diff.length, wrong)}</span>
        {diff.length > 0 && (
          <div className="buttons">
            <ActionButton onPress={() => setEdits(new Map())}>Discard</ActionButton>
            <ActionButton
              kind="main"
              why={why ?? (wrong > 0 ? 'A value is wrong.' : undefined)}
              onPress={() => setOpen(true)}
            >
              Review the changes
            </ActionButton>
          </div>
        )}
      </div>
      <ChangesDialog diff={diff} apply={apply} isOpen={isOpen} onClose={() => setOpen(false)} />
    </div>
  );
}

const profileNames: readonly ProfileName[] = ['careful', 'fast'];

function Profile({
  name,
  left,
  why,
  onTake,
}: {
  readonly name: ProfileName;
  /** settings that differ from it */
  readonly left: number;
  readonly why: string | undefined;
  readonly onTake: () => void;
}) {
  const { title, text } = profiles[name];
  return (
    <section className="card stack-small" aria-label={title}>
      <h2>{title}</h2>
      <p className="quiet">{text}</p>
      <div className="row">
        {left > 0 && (
          <ActionButton why={why} onPress={onTake}>
            Choose this profile
          </ActionButton>
        )}
        <span className="quiet">{describeLeft(left)}</span>
      </div>
    </section>
  );
}

function fitsSearch(name: string, text: string): boolean {
  const names = `${name} ${settingTitle(name) ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

function describeLeft(count: number): string {
  if (count === 0) return 'This profile is in use.';
  return count === 1 ? '1 setting differs.' : `${count} settings differ.`;
}

function describeChanges(count: number, wrong: number): string {
  if (count === 0) return '';
  const changes = count === 1 ? '1 change is not applied' : `${count} changes are not applied`;
  if (wrong === 0) return `${changes}.`;
  return `${changes}, and ${wrong === 1 ? '1 value is' : `${wrong} values are`} wrong.`;
}

import type { SettingsRequest } from '@aosc/client';
import { UsageError } from '../failure';
import { plain, table } from '../output/text';
import type { Action, Session } from '../session';
import { effectiveSettings, findDifferences } from '../settings/effective';
import { type ProfileName, profileNames, profiles } from '../settings/profiles';
import { readPair } from './flag-values';

/** `aosc settings get [names...]` */
export const getAction: Action = async (session, names) => {
  const settings = await readSettings(session);
  if (settings === undefined) return 'done';
  const matches = names.map(toPattern);
  const shown = settings.filter(({ name }) => names.length === 0 || matches.some((pattern) => pattern(name)));
  if (shown.length === 0) throw new UsageError(`no setting is called ${names.join(', ')}`);
  session.print(Object.fromEntries(shown.map(({ name, value, origin }) => [name, { value, origin }])), () =>
    table(shown.map(({ name, value, origin }) => [name, plain(value), origin === 'default' ? '' : origin])),
  );
  return 'done';
};

/** `aosc settings set <name=value...>` */
export const setAction: Action = async (session, pairs) => {
  const values = Object.fromEntries(pairs.map(readPair));
  return put(session, values);
};

/** `aosc settings diff [profile]` */
export const diffAction: Action = async (session, [profile]) => {
  const wanted = profile === undefined ? undefined : profiles[parseProfile(profile)].settings;
  const settings = await readSettings(session);
  if (settings === undefined) return 'done';
  const differences = findDifferences(settings, wanted);
  const of = profile ?? 'the defaults';
  session.print(differences, () =>
    differences.length === 0
      ? [`no difference to ${of}`]
      : table(
          differences.map(({ name, value, wanted: want }) => [name, plain(value), `${of}: ${plain(want)}`]),
        ),
  );
  return 'done';
};

/** `aosc settings profile [name]` */
export const profileAction: Action = async (session, [name]) => {
  if (name !== undefined) return put(session, profiles[parseProfile(name)].settings);
  session.print(profiles, () => table(profileNames.map((known) => [known, profiles[known].description])));
  return 'done';
};

async function put(session: Session, values: Readonly<Record<string, string | null>>) {
  const scope = session.flags.isOn('transient') ? 'transient' : 'persistent';
  const request: SettingsRequest = { [scope]: values };
  const { signal } = session.shell;
  const changed = await session.send((client) => client.putSettings(request, { signal }));
  if (changed !== undefined) {
    session.print(changed, () =>
      table(Object.entries(values).map(([name, value]) => [name, value === null ? 'default' : plain(value)])),
    );
  }
  return 'done' as const;
}

async function readSettings(session: Session) {
  const { signal } = session.shell;
  const answer = await session.send((client) => client.settings({ includeDefaults: true, signal }));
  return answer === undefined ? undefined : effectiveSettings(answer);
}

function parseProfile(name: string): ProfileName {
  const found = profileNames.find((known) => known === name);
  if (found === undefined) throw new UsageError(`[${name}] is no profile: ${profileNames.join(', ')}`);
  return found;
}

/** A name, in which `*` stands for any text. */
function toPattern(text: string): (name: string) => boolean {
  const [first = '', ...rest] = text.split('*');
  return (name) => {
    if (rest.length === 0) return name === first;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest.slice(0, -1)) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    const last = rest.at(-1) ?? '';
    return name.length - last.length >= at && name.endsWith(last);
  };
}

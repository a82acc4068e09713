import type { AoscClient, SettingsRequest } from '@aosc/client';
import type { ExitName } from '../exit-codes';
import { AoscError, isSettingKey, nearestName, parseSetting, settingKeys } from '@aosc/contract';
import { UsageError } from '../failure';
import { plain, table } from '../output/text';
import type { Action, Session } from '../session';
import { effectiveSettings, findChanges, findDifferences } from '../settings/effective';
import { matcherOf } from '../settings/name-pattern';
import { type ProfileName, profileNames, profiles } from '../settings/profiles';
import { readPair } from './flag-values';

/** `aosc settings get [names...]` */
export const getAction: Action = async (session, names) => {
  const settings = await sendForSettings(session);
  if (settings === undefined) return 'done';
  const matches = names.map(matcherOf);
  const shown = settings.filter(({ name }) => names.length === 0 || matches.some((pattern) => pattern(name)));
  if (shown.length === 0) throw new UsageError(describeUnknown(names));
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
  const settings = await sendForSettings(session);
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

/** Sets values, and says what that changes: many values of a profile may be in force already. */
async function put(session: Session, values: Readonly<Record<string, string | null>>): Promise<ExitName> {
  const scope = session.flags.isOn('transient') ? 'transient' : 'persistent';
  const request: SettingsRequest = { [scope]: values };
  const { signal } = session.shell;
  const set = (client: AoscClient) => client.putSettings(request, { signal });
  if (session.printsRequests) {
    await session.send(set);
    return 'done';
  }
  if (session.isDryRun) checkValues(values);
  const before = await readSettings(session);
  const { changes, hidden } = findChanges(before, values, scope);
  const result = session.isDryRun ? { dry_run: true, changes, hidden } : await set(await session.client());
  const unchanged = Object.keys(values).length - changes.length - hidden.length;
  session.print(result, () => [
    ...table(changes.map(({ name, value, wanted }) => [name, plain(value), '->', plain(wanted)])),
    ...(unchanged > 0 && !hasPattern(values)
      ? [`${unchanged} ${unchanged === 1 ? 'is' : 'are'} so already`]
      : []),
    ...(session.isDryRun ? ['nothing was changed'] : []),
  ]);
  for (const { name, value } of hidden)
    session.note(
      `${name}: stays ${plain(value)}, a transient value wins; --transient ${name}=null removes it`,
    );
  return hidden.length === 0 ? 'done' : 'unhealthy';
}

/** The API has no dry run of settings: names and values are judged here by the same table. @throws UsageError */
function checkValues(values: Readonly<Record<string, string | null>>): void {
  const problems = Object.entries(values).flatMap(([name, value]) => {
    if (value === null && name.includes('*')) return [];
    if (!isSettingKey(name)) return [describeUnknown([name])];
    if (value === null) return [];
    try {
      parseSetting(name, value);
      return [];
    } catch (error) {
      if (error instanceof AoscError) return [error.message];
      throw error;
    }
  });
  if (problems.length > 0) throw new UsageError(`It would be refused: ${problems.join('; ')}`);
}

function describeUnknown(names: readonly string[]): string {
  const [near] = names.flatMap((name) => nearestName(name, settingKeys) ?? []);
  return `there is no setting ${names.join(', ')}${near === undefined ? '' : `, did you mean ${near}?`}`;
}

const hasPattern = (values: object): boolean => Object.keys(values).some((name) => name.includes('*'));

/** @returns undefined when the request was only printed */
async function sendForSettings(session: Session) {
  const { signal } = session.shell;
  const answer = await session.send((client) => client.settings({ includeDefaults: true, signal }));
  return answer === undefined ? undefined : effectiveSettings(answer);
}

async function readSettings(session: Session) {
  const client = await session.client();
  return effectiveSettings(await client.settings({ includeDefaults: true, signal: session.shell.signal }));
}

function parseProfile(name: string): ProfileName {
  const found = profileNames.find((known) => known === name);
  if (found === undefined) throw new UsageError(`[${name}] is no profile: ${profileNames.join(', ')}`);
  return found;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SettingDefinition, settingKeys, settingsTable } from '@aosc/contract';
import { highThroughput, lowImpact } from '../profiles';

const read = (path: string): string => readFileSync(join(__dirname, '../../../docs', path), 'utf8');
const page = read('reference/settings.md');
const definitions: Readonly<Record<string, SettingDefinition>> = settingsTable;

/** Settings of both writers have one row. */
const nameInPage = (key: string): string => {
  const ofReplay = key.replace('aosc.backfill.', 'aosc.replay.');
  const isTwin = settingKeys.includes(ofReplay) && /^aosc\.(backfill|replay)\./.test(key);
  return isTwin && !key.endsWith('controller.type') ? ofReplay.replace('aosc.replay.', 'aosc.*.') : key;
};

function describeAllowed(definition: SettingDefinition): string {
  if (definition.type === 'enum') return definition.values.join(', ');
  if (definition.type === 'boolean') return 'true, false';
  if (definition.type === 'json-object') return 'JSON object';
  const { min, max } = definition;
  return max === undefined ? `at least ${min ?? ''}` : `${min ?? ''} to ${max}`;
}

function cellsOf(key: string): string[] {
  const definition = definitions[key];
  if (definition === undefined) throw new Error(`no setting ${key}`);
  const isLong = definition.type === 'json-object';
  if (isLong) expect(page).toContain(`The default of \`${key}\` is\n\`${definition.default}\``);
  return [`\`${nameInPage(key)}\``, isLong ? 'see below' : definition.default, describeAllowed(definition)];
}

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `aosc.'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('docs/reference/settings.md has a row for every setting, with its default and its limits', () => {
  const wanted = new Map(settingKeys.map((key) => [nameInPage(key), cellsOf(key)]));
  expect(rows.map((row) => row.slice(0, 3)).sort()).toEqual([...wanted.values()].sort());
  expect(rows.filter((row) => row[3] === undefined || row[3] === '')).toEqual([]);
});

test('the profiles in docs/how-to/tune-the-load.md are those of the contract', () => {
  const bodies = [...read('how-to/tune-the-load.md').matchAll(/-d '(\{[^']*\})'/g)];
  expect(bodies.map(([, body = '']): unknown => JSON.parse(body))).toEqual([
    { persistent: lowImpact },
    { persistent: highThroughput },
  ]);
});

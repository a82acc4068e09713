import { readFileSync } from 'node:fs';
import { type SettingDefinition, settingKeys, settingsTable } from '@aosc/contract';
import { highThroughput, lowImpact } from '../profiles';
import { plotFolder } from './plots';

const page = readFileSync(`${plotFolder}.md`, 'utf8');
const definitions: Readonly<Record<string, SettingDefinition>> = settingsTable;

/** Settings of both writers have one row. */
const nameInPage = (key: string): string => {
  const ofReplay = key.replace('aosc.backfill.', 'aosc.replay.');
  const isTwin = settingKeys.includes(ofReplay) && !key.endsWith('controller.type');
  return isTwin ? ofReplay.replace('aosc.replay.', 'aosc.*.') : key;
};

function cellsOf(key: string): string[] {
  const definition = definitions[key];
  if (definition === undefined) throw new Error(`no setting ${key}`);
  const { min, max } = definition;
  const allowed = definition.type === 'enum' ? definition.values.join(', ') : `${min ?? ''} to ${max ?? ''}`;
  return [`\`${nameInPage(key)}\``, definition.default, allowed];
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

test('every setting of the flow has its row, with its default and its limits', () => {
  const keys = settingKeys.filter((key) => /^aosc\.(backfill|replay|overload)\./.test(key));
  const wanted = new Map(keys.map((key) => [nameInPage(key), cellsOf(key)]));
  expect(rows.map((row) => row.slice(0, 3)).sort()).toEqual([...wanted.values()].sort());
  expect(rows.filter((row) => row[3] === undefined || row[3] === '')).toEqual([]);
});

test('the profiles are those of the contract', () => {
  const bodies = [...page.matchAll(/-d '(\{[^']*\})'/g)].map(([, body = '']): unknown => JSON.parse(body));
  expect(bodies).toEqual([{ persistent: lowImpact }, { persistent: highThroughput }]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationStatus } from '@aosc/client';
import { migrationPhases, settingKeys } from '@aosc/contract';
import { adviceFor, adviceForWait } from './advice';
import { curlCommand } from './commands';
import { explainCancel, explainPhase } from './next-step';
import { diffSettings, listSettings, profiles } from './profiles';
import { settingGroups, settingTitle } from './setting-names';

const root = join(__dirname, '../../../..');
const status = (parts: Partial<MigrationStatus>): MigrationStatus => ({
  migration_id: 'a__b__1',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  phase: 'ACTIVE',
  options: {
    convergence_threshold_per_shard: 1,
    max_convergence_rounds_per_shard: 1,
    doc_count_tolerance: 0,
    accept_data_loss_if_custom_routing_is_used: false,
    target_ready_timeout_seconds: 60,
    remove_source_write_block_on_success: false,
    transient_target_settings: {},
  },
  shard_routing_mode: 'SAME_SHARD',
  delete_routing_strategy: 'TRANSLOG_ROUTING',
  start_time_millis: 1,
  last_updated_millis: 1,
  shards: {},
  transition_history: [],
  meta: {},
  ...parts,
});

const shardIn = (phase: MigrationStatus['shards'][string]['phase']): MigrationStatus['shards'][string] => ({
  phase,
  last_replayed_seq_no: -1,
  target_seq_no: -1,
  backfill_cutoff_seq_no: -1,
  transition_history: [],
  meta: {},
});

test('the profiles are those of the documentation', () => {
  const page = readFileSync(join(root, 'docs/how-to/tune-the-load.md'), 'utf8');
  const blocks = [...page.matchAll(/"persistent": (\{[^}]*\})/g)].slice(0, 2).map(([, json = '']) => {
    const settings = JSON.parse(json) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  });
  expect(blocks).toEqual([profiles.careful.settings, profiles.fast.settings]);
  for (const name of Object.keys(profiles.fast.settings)) expect(settingKeys).toContain(name);
});

test('every setting has a title, and one group', () => {
  for (const name of settingKeys) {
    expect([name, settingTitle(name)]).toEqual([name, expect.any(String)]);
    const own = settingGroups.filter(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix)));
    expect([name, own.length]).toEqual([name, 1]);
  }
});

test('the pages that advice names are there', () => {
  const source = readFileSync(join(__dirname, 'advice.ts'), 'utf8');
  const pages = [...source.matchAll(/page: '(.+)'/g)].map(([, page = '']) => page);
  expect(pages.length).toBeGreaterThan(10);
  for (const page of new Set(pages)) expect(() => readFileSync(join(root, page))).not.toThrow();
});

test.each(migrationPhases)('%s says what goes on, and what comes next', (phase) => {
  const { now, next } = explainPhase(status({ phase }));
  expect(now).toMatch(/\.$/);
  expect(next).toMatch(/\.$/);
});

test('a wait for the target is not taken for one for its replicas', () => {
  const text = '3 documents are set aside because the target refuses them';
  const waiting_for = { reason: 'target', since_millis: 1, text } as const;
  const { now, next } = explainPhase(status({ phase: 'PREPARING_TARGET', waiting_for }));
  expect([now, next, adviceForWait('target').text].join(' ')).not.toMatch(/green|replicas/);
});

test('nothing is said to be copied while no worker runs', () => {
  const waiting_for = { reason: 'worker', since_millis: 1 } as const;
  expect(explainPhase(status({ waiting_for, shards: { 0: shardIn('BACKFILLING') } })).now).toBe(
    'No document is copied now.',
  );
  expect(explainPhase(status({ shards: { 0: shardIn('PENDING') } })).now).toBe('No document is copied now.');
  expect(explainPhase(status({ shards: { 0: shardIn('BACKFILLING') } })).now).toContain('are copied');
});

test('a cancel lets writes go on only where they were stopped', () => {
  expect(explainCancel(status({})).happens.join()).not.toContain('Writes');
  expect(explainCancel(status({ phase: 'CATCHING_UP' })).happens).toContain('Writes to a go on.');
});

test.each([
  ['target index [b] is not empty (3 docs); use an empty target index', 'Delete the target'],
  ['something nobody has seen', 'read the log of the service'],
  [
    'source shard [0] was written to after the swap: another client lifted the write block or writes past the alias. ' +
      'Those writes are not in the target',
    'Do not delete the source',
  ],
  ['not known [0] since the swap. Those writes would not be in the target', 'Do not delete the source'],
  ['the write block on [a] was lifted by another client during cutover', 'which client lifts write blocks'],
  ['source shard [0] was written to under the write block: no copy', 'which client lifts write blocks'],
  ['source shard [0] does not stand still at 4 under the write block', 'which client lifts write blocks'],
  ['target shard [0] is not the one that was written to', 'read the log of the service'],
  ['the write block on [a] lasted longer than 9 ms (AOSC_WRITE_BLOCK_MAX_MS)', 'refused for longer'],
])('advice for %s', (text, phrase) => {
  expect(adviceFor(text).text).toContain(phrase);
});

test('settings: what is set goes over what is not, and a diff has what would change alone', () => {
  const rows = listSettings({ persistent: { a: '1' }, transient: { b: '2' }, defaults: { b: '0', c: '3' } });
  expect(rows).toEqual([
    { name: 'a', value: '1', isTransient: false },
    { name: 'b', value: '2', isTransient: true },
    { name: 'c', value: '3', isTransient: false },
  ]);
  expect(diffSettings(rows, { a: '1', b: '3', c: '4', d: '5' })).toEqual([
    { name: 'b', from: '2', to: '3', isHidden: true },
    { name: 'c', from: '3', to: '4', isHidden: false },
    { name: 'd', from: '', to: '5', isHidden: false },
  ]);
});

test('a command passes every text on as it is', () => {
  expect(curlCommand('http://x', 'POST', '/p', { a: "it's" })).toBe(
    `curl -X POST 'http://x/p' \\\n  -H 'content-type: application/json' \\\n  -d '{\n  "a": "it'\\''s"\n}'`,
  );
});

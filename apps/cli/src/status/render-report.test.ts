import type { MigrationIndices } from '@aosc/client';
import { createCopying, createShard, createStatus } from '../__tests__/create-status';
import { renderReport } from './render-report';

const index = (name: string, more: Partial<MigrationIndices['source']> = {}) => ({
  name,
  state: 'same' as const,
  aliases: [],
  is_write_blocked: false,
  ...more,
});
const now = (source: string, parts: Partial<MigrationIndices> = {}): MigrationIndices => ({
  migration_id: 'a__b__0',
  at_millis: 70_000,
  alias: { name: 'al', indices: [source] },
  source: index(source, { document_count: 5002 }),
  target: index('b'),
  ...parts,
});

const asBefore =
  '--convergence-threshold 500 --max-rounds 1000 --doc-count-tolerance 0 --target-ready-timeout 60s';

const copied = createShard('COMPLETED', {
  backfill: {
    status: 'COMPLETED',
    documents_indexed: 5000,
    bulk_retries: 0,
    rounds: 5,
    current_gap: 0,
    start_time_millis: 1000,
    end_time_millis: 3000,
  },
  convergence: {
    status: 'COMPLETED',
    operations_applied: 40,
    deletes_applied: 3,
    bulk_retries: 2,
    rounds: 1,
    current_gap: 0,
    start_time_millis: 3000,
  },
});

test('a completed one: what was done, how long writes were refused, what is left', () => {
  const status = createStatus('COMPLETED', [copied], {
    transition_history: [{ phase: 'COMPLETED', start_time_millis: 61_000 }],
    meta: { 'write_block.applied': 'true', 'alias.swapped': 'true' },
    cutover_context: {
      source_doc_count: 5002,
      target_doc_count: 5002,
      doc_count_tolerance: 0,
      doc_count_validation_passed: true,
      alias_swap_succeeded: true,
      cutover_start_millis: 60_000,
      cutover_end_millis: 60_410,
    },
    cutover: {
      state: 'done',
      attempts: [
        { started_millis: 59_900, outcome: 'swapped', write_hold_ms: 330, blocked_ms: 80, steps: {} },
      ],
    },
  });
  const moved = now('a', {
    alias: { name: 'al', indices: ['b'] },
    source: index('a', { is_write_blocked: true, blocked_by: 'a__b__0', document_count: 5002 }),
  });
  expect(renderReport(status, moved)).toEqual([
    'COMPLETED: a -> b, in 1m 1s',
    'al was moved from a to b',
    'copied 5,000 documents, 2,500 docs/s on average',
    'replayed 40 operations, 3 of them deletes; 2 bulks were sent again',
    'counted 5,002 documents in the source and 5,002 in the target',
    'writes waited for 0.33 s, then were refused for at most 0.08 s',
    '',
    'In the cluster at 1970-01-01T00:01:10Z:',
    '  al  on b',
    '  a   5,002 searchable documents, takes no writes (the write block of this migration)',
    '  b   takes writes',
    '',
    'What is left to do:',
    'Delete a when you do not need it any more.',
    '  curl -X DELETE "$AOSC_OPENSEARCH_URL"/a',
    'Lift the write block, if a should take writes again.',
    `  curl -X PUT "$AOSC_OPENSEARCH_URL"/a/_settings -H 'content-type: application/json' -d '{"index.blocks.write": null}'`,
  ]);
});

test('a cancelled one: how far it came, and how to start again', () => {
  const status = createStatus('CANCELLED', [createCopying(480, 1000)], {
    source_index: "it's",
    progress: {
      shards_known: 1,
      total_documents: 1000,
      documents_indexed: 480,
      documents_per_second: 9,
      bytes_per_second: 9,
    },
    meta: { 'write_block.applied': 'false', 'alias.swapped': 'false' },
  });
  expect(renderReport(status, now("it's"))).toEqual([
    "CANCELLED: it's -> b, in 0s",
    'al was not moved',
    'copied 480 of 1,000 (48%) documents',
    'replayed 0 operations, 0 of them deletes; 1 bulks were sent again',
    '',
    'In the cluster at 1970-01-01T00:01:10Z:',
    "  al    on it's",
    "  it's  5,002 searchable documents, takes writes",
    '  b     takes writes',
    '',
    'What is left to do:',
    'Delete b and create it again before the next try: a migration needs an empty target.',
    '  curl -X DELETE "$AOSC_OPENSEARCH_URL"/b',
    'To start again, if aosc.defaults has transient_target_settings: {} and remove_source_write_block_on_success: false ' +
      '(no flag says it):',
    `  aosc create-target 'it'\\''s' b --shards 1`,
    `  aosc start 'it'\\''s' b --alias al ${asBefore} --watch`,
  ]);
});

test.each([
  ['the consent', { accept_data_loss_if_custom_routing_is_used: true }, '--accept-data-loss'],
  ['that it only rehearses', { rehearse: true }, '--rehearse'],
  [
    'manual cutover, and a check',
    { cutover: 'manual', verify: 'content' },
    '--verify content --cutover manual',
  ],
  [
    'windows',
    { cutover_windows: [{ days: ['sat'], from: '01:00', to: '02:00' }] },
    "--window 'sat 01:00-02:00'",
  ],
] as const)('a start again has %s of the first one', (_, more, flags) => {
  const status = createStatus('CANCELLED', []);
  const lines = renderReport({ ...status, options: { ...status.options, ...more } }, now('a'));
  expect(lines.at(-1)).toBe(`  aosc start a b --alias al ${asBefore} ${flags} --watch`);
});

test('a start again says nothing of defaults where flags say all', () => {
  const status = createStatus('CANCELLED', []);
  const more = {
    transient_target_settings: { 'index.refresh_interval': '-1' },
    remove_source_write_block_on_success: true,
  };
  const lines = renderReport({ ...status, options: { ...status.options, ...more } }, now('a'));
  expect(lines.slice(-3)).toEqual([
    'To start again:',
    expect.stringContaining('aosc create-target'),
    `  aosc start a b --alias al ${asBefore} --remove-source-write-block --target-setting index.refresh_interval=-1 --watch`,
  ]);
});

test('a start again has the stored script with its parameters', () => {
  const script = { type: 'stored', id: 's', params: { p: 1 } } as const;
  const status = createStatus('FAILED', [], { transform_script: script });
  expect(renderReport(status, now('a')).at(-1)).toBe(
    `  aosc start a b --alias al ${asBefore} --stored-script s --script-params '{"p":1}' --watch`,
  );
});

test('a start that can not be shown as a command is described', () => {
  const base = createStatus('FAILED', [], { transform_script: { type: 'inline', source: 'ctx.x = 1' } });
  const status = { ...base, options: { ...base.options, copy: 'files' as const, rehearse: true } };
  const lines = renderReport(status, now('a'));
  expect(lines.join()).not.toMatch(/aosc start|create-target/);
  expect(lines.at(-1)).toBe(
    'To start again, give what it had: the same transform script, the same --shards, --settings and --mappings of the ' +
      'target, which the start makes, transient_target_settings: {}, remove_source_write_block_on_success: false, ' +
      `and ${asBefore} --copy files --rehearse`,
  );
});

test('the report of an older one leaves alone what a newer one uses', () => {
  const parts = {
    source: index('a', { is_write_blocked: true, blocked_by: 'newer' }),
    target: index('b', { in_use: true }),
  };
  expect(renderReport(createStatus('CANCELLED', []), now('a', parts)).join()).not.toMatch(/DELETE|PUT/);
});

test('a failed one has the reason, and says when the cluster could not be asked', () => {
  const status = createStatus('FAILED', [createShard('FAILED')], { error_message: 'a doubt' });
  expect(renderReport(status, now('a'))).toEqual(
    expect.arrayContaining(['reason: a doubt', 'Read why it has failed, and put that right.']),
  );
  expect(renderReport(status, 'no answer').at(-1)).toBe(
    'The cluster could not be asked what it has now: no answer',
  );
});

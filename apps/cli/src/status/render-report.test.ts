import { createCopying, createShard, createStatus } from '../__tests__/create-status';
import { renderReport } from './render-report';

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
  });
  expect(renderReport(status)).toEqual([
    'COMPLETED: a -> b, in 1m 1s',
    'al was moved from a to b',
    'copied 5,000 documents, 2,500 docs/s on average',
    'replayed 40 operations, 3 of them deletes; 2 bulks were sent again',
    'counted 5,002 documents in the source and 5,002 in the target',
    'writes were refused for at most 0.41 s',
    '',
    'What is left to do:',
    'a was left with a write block, so that no application writes to it by its name. To lift it:',
    `  curl -X PUT "$AOSC_OPENSEARCH_URL"/a/_settings -H 'content-type: application/json' -d '{"index.blocks.write": null}'`,
    'When the applications have shown that al answers as it should, delete a:',
    '  curl -X DELETE "$AOSC_OPENSEARCH_URL"/a',
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
  expect(renderReport(status)).toEqual([
    "CANCELLED: it's -> b, in 0s",
    "al was not moved, and this migration holds no write block on it's",
    'copied 480 of 1,000 (48%) documents',
    'replayed 0 operations, 0 of them deletes; 1 bulks were sent again',
    '',
    'What is left to do:',
    'b holds a part of the documents, and a start takes an empty target only. Delete it:',
    '  curl -X DELETE "$AOSC_OPENSEARCH_URL"/b',
    'To start again:',
    `  aosc create-target 'it'\\''s' b --shards 1`,
    `  aosc start 'it'\\''s' b --alias al --watch`,
  ]);
});

test('a failed one has the reason', () => {
  const lines = renderReport(createStatus('FAILED', [createShard('FAILED')], { error_message: 'a doubt' }));
  expect(lines).toContain('reason: a doubt');
  expect(lines).toContain('To start again, when what the error names is put right:');
});

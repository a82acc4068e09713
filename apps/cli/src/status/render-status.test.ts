import { createCopying, createShard, createStatus } from '../__tests__/create-status';
import { choosePaint, noPaint } from '../output/paint';
import { codePoints } from '../output/text';
import type { Frame } from './frame';
import { describeStep, renderLine } from './render-line';
import { elapsed, renderStatus, renderWay } from './render-status';

const frame: Frame = { width: 120, height: 40, paint: noPaint, nowMillis: 10_000 };
const progress = {
  shards_known: 2,
  total_documents: 2000,
  documents_indexed: 1000,
  documents_per_second: 200,
  bytes_per_second: 1_500_000,
  remaining_seconds: 65,
};
const halfway = createStatus('ACTIVE', [createCopying(500, 1000), createCopying(500, 1000)], { progress });

test('a migration that copies', () => {
  expect(renderStatus(halfway, frame)).toEqual([
    'a -> b  alias al',
    'a__b__0  SAME_SHARD  10s',
    '[ACTIVE] . . . . .',
    'copy [###############---------------]  50%  1,000 of 2,000 documents  200 docs/s  1.5 MB/s  1m 5s left',
    'gap 0 operations  replayed 0, 0 of them deletes  retries 2',
    'shard   0 [##########----------]  50%  BACKFILLING             500 docs  100 docs/s  7s left',
    'shard   1 [##########----------]  50%  BACKFILLING             500 docs  100 docs/s  7s left',
  ]);
});

test('shards that have not begun count as the average of the others', () => {
  const status = createStatus('ACTIVE', [createCopying(500, 1000), createShard('PENDING')], {
    progress: { ...progress, shards_known: 1, total_documents: 1000, documents_indexed: 500 },
  });
  expect(renderStatus(status, frame)[3]).toContain(' 25%  500 of 2,000 documents');
});

test('before anything was counted', () => {
  const lines = renderStatus(createStatus('ACTIVE', [createShard('PENDING')]), frame);
  expect(lines[3]).toBe('copy [------------------------------]   ?%  0 documents');
  expect(lines[5]).toContain('  ?%  PENDING');
});

test('what it waits for, what went wrong, and a gap', () => {
  const replay = {
    status: 'IN_PROGRESS',
    bulk_retries: 0,
    rounds: 3,
    current_gap: 1234,
    start_time_millis: 1,
  } as const;
  const shard = createShard('CONVERGING', {
    replay: { ...replay, operations_applied: 50, deletes_applied: 7 },
    error: 'two\nlines',
  });
  const status = createStatus('FAILING', [shard], {
    waiting_for: { reason: 'worker', since_millis: 4000, text: 'start a worker' },
    error_message: 'a doubt',
  });
  const lines = renderStatus(status, frame);
  expect(lines).toContain('[FAILING]');
  expect(lines).toContain('gap 1,234 operations  replayed 50, 7 of them deletes');
  expect(lines).toContain('waits for worker, for 6s: start a worker');
  expect(lines).toContain('error: a doubt');
  expect(lines.at(-1)).toMatch(/100% {2}CONVERGING .* gap 1,234 {2}two lines$/);
});

test('many shards become cells, in rows, with a legend', () => {
  const shards = Array.from({ length: 120 }, (_, n) =>
    n === 0 ? createShard('FAILED') : n < 60 ? createCopying(n * 10, 600) : createShard('CONVERGED'),
  );
  const lines = renderStatus(createStatus('ACTIVE', shards), { ...frame, height: 20 });
  const grid = lines.slice(5);
  expect(grid[0]).toBe(`    0  !0000011111122222233333344444455555566666677777788`);
  expect(grid[1]).toBe(`   50  8888999999${'c'.repeat(40)}`);
  expect(grid[2]).toBe(`  100  ${'c'.repeat(20)}`);
  expect(grid[3]).toContain('c converged');
  expect(grid).toHaveLength(4);
});

test('rows that have no place are counted', () => {
  const shards = Array.from({ length: 1000 }, () => createShard('PENDING'));
  const lines = renderStatus(createStatus('ACTIVE', shards), { ...frame, height: 10 });
  expect(lines).toHaveLength(10);
  expect(lines.at(-2)).toBe('     … and 850 shards more');
});

test.each([20, 33, 60, 200])('no line is wider than %i', (width) => {
  const wide = createStatus('ACTIVE', halfway.shards['0'] ? [halfway.shards['0']] : [], {
    progress,
    source_index: 'x'.repeat(300),
    error_message: 'y'.repeat(500),
  });
  for (const line of renderStatus(wide, { ...frame, width }))
    expect(codePoints(line).length).toBeLessThanOrEqual(width);
});

test('texts of the API can not drive the terminal', () => {
  const status = createStatus('FAILED', [], { error_message: '\u001b[2Jgone\u009b31m\u202e' });
  const text = [...renderStatus(status, frame), renderLine(status, 0)].join('\n');
  expect(text).toContain('\\u001b[2Jgone\\u009b31m\\u202e');
  // eslint-disable-next-line no-control-regex -- they are what must not be there
  expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
});

test('the way through the phases', () => {
  expect(renderWay({ phase: 'CATCHING_UP' })).toBe('active preparing_target cutting_over [CATCHING_UP] . .');
  expect(renderWay({ phase: 'CANCELLED' })).toBe('[CANCELLED]');
  expect(renderWay({ phase: 'CANCELLED', rehearsal: { outcome: 'exact' } })).toBe(
    '[CANCELLED, rehearsed: exact]',
  );
});

test('time stands still at the end', () => {
  const ended = createStatus('COMPLETED', [], {
    transition_history: [{ phase: 'COMPLETED', start_time_millis: 90_000 }],
  });
  expect(elapsed(ended, 1e12)).toBe('1m 30s');
});

test('colours', () => {
  const paint = choosePaint({ isTty: true }, {}, true);
  const line = renderStatus(createStatus('COMPLETED', []), { ...frame, paint })[2];
  expect([line?.startsWith('\u001b[32m'), line?.endsWith('\u001b[0m')]).toEqual([true, true]);
});

test.each([
  [{ isTty: false }, {}, true],
  [{ isTty: true }, { NO_COLOR: '1' }, true],
  [{ isTty: true }, { TERM: 'dumb' }, true],
  [{ isTty: true }, {}, false],
])('none with %j %j %s', (screen, env, wanted) => {
  expect(choosePaint(screen, env, wanted)('bad', 'x')).toBe('x');
});

test('an empty NO_COLOR counts as not set', () => {
  expect(choosePaint({ isTty: true }, { NO_COLOR: '' }, true)('bad', 'x')).toBe('\u001b[31mx\u001b[0m');
});

test('one line for a pipe', () => {
  expect(renderLine(halfway, 10_000)).toBe(
    '1970-01-01T00:00:10.000Z ACTIVE [2 BACKFILLING] copied=1000/2000 docs/s=200 replayed=0 gap=0 left=1m5s',
  );
});

test('a step is a change of a phase or a reason, and not of a figure', () => {
  const more = createStatus('ACTIVE', [createCopying(501, 1000), createCopying(900, 1000)], { progress });
  expect(describeStep(more)).toBe(describeStep(halfway));
  expect(describeStep({ ...halfway, phase: 'FAILING' })).not.toBe(describeStep(halfway));
  const waiting_for = { reason: 'worker', since_millis: 1 } as const;
  expect(describeStep({ ...halfway, waiting_for })).not.toBe(describeStep(halfway));
});

test('the line of a postponed cutover says what it waits for', () => {
  const cutover = { state: 'postponed', waits_for: 'an approval' } as const;
  const waiting = createStatus('PREPARING_TARGET', [createShard('CONVERGED')], { cutover });
  expect(renderLine(waiting, 0)).toContain('cutover=(postponed: waits for an approval)');
  expect(describeStep(waiting)).not.toBe(describeStep({ ...waiting, cutover: { state: 'converging' } }));
});

describe('a migration that was cancelled in the middle of its copy', () => {
  const half = createCopying(480, 1000, { phase: 'CANCELLED' });
  const empty = createShard('CANCELLED', { progress: { total_documents: 0 } });
  const cancelled = createStatus('CANCELLED', [half, empty], { progress });

  test('shows how far it came, and neither a rate nor a time that is left', () => {
    const lines = renderStatus(cancelled, frame);
    expect(lines[3]).toBe('copy [#######-----------------------]  24%  480 of 2,000 documents');
    expect(lines.slice(-2)).toEqual([
      'shard   0 [##########----------]  48%  CANCELLED               480 docs',
      'shard   1 [--------------------]   ?%  CANCELLED                 0 docs',
    ]);
    expect(renderLine(cancelled, 1)).not.toContain('left=');
  });

  test('and a shard that had copied everything is whole', () => {
    const whole = createShard('CANCELLED', {
      backfill: { status: 'COMPLETED', bulk_retries: 0, rounds: 1, current_gap: 0, start_time_millis: 1 },
    });
    expect(renderStatus(createStatus('CANCELLED', [whole]), frame)[3]).toContain('100%');
  });
});

import type { Mismatches } from '@aosc/testkit';
import { createStatus } from './__tests__/create-status';
import { createReport, type DemoResult } from './report';

const none = { count: 0, samples: [] };
const noMismatches: Mismatches = {
  missing: none,
  extra: none,
  differentVersion: none,
  differentRouting: none,
  differentSource: none,
  total: 0,
};
const oneMissing: Mismatches = {
  ...noMismatches,
  missing: { count: 1, samples: [{ id: 'x', routing: undefined, detail: 'gone' }] },
  total: 1,
};

const compared = {
  sourceDocuments: 1_000,
  targetDocuments: 1_050,
  judgedBySource: 900,
  judgedByModel: 200,
  mismatches: noMismatches,
};

const good: DemoResult = {
  status: createStatus({ phase: 'COMPLETED' }),
  writers: {
    operations: 900,
    inserts: 300,
    updates: 300,
    deletes: 200,
    recreations: 100,
    reroutes: 0,
    moves: 0,
    blockedRetries: 5,
    otherRetries: 0,
    unknownOutcomes: 0,
    longestPauseMs: 700,
    errors: 0,
    violations: 0,
    problems: [],
    operationsByIndex: { a: 600, b: 300 },
  },
  comparison: compared,
  verification: { documents: 700, uncertain: 0, mismatches: noMismatches },
};

test('COMPLETED without a mismatch passes, and every figure is in the table', () => {
  const { lines, passed } = createReport(good, [{ name: 'copy', millis: 3_000 }]);
  expect(passed).toBe(true);
  const table = lines.join('\n');
  for (const row of [
    /documents copied +1,500/,
    /docs\/s +\d/,
    /operations replayed +42/,
    /deletes replayed +5/,
    /longest pause any writer saw +700 ms/,
    /900, 300 of them after the swap/,
    /mismatches +0$/m,
    /time +3.0 s: copy 3.0$/m,
  ]) {
    expect(table).toMatch(row);
  }
});

const flawed: [string, Partial<DemoResult>, RegExp][] = [
  ['a document is missing', { comparison: { ...compared, mismatches: oneMissing } }, /missing: 1 .*x: gone/],
  [
    'an acknowledged write is lost',
    { verification: { ...good.verification, mismatches: oneMissing } },
    /acknowledged writes: missing: 1/,
  ],
  [
    'the migration failed',
    { status: createStatus({ phase: 'FAILED', error_message: 'disk full' }), comparison: undefined },
    /FAILED: disk full/,
  ],
  [
    'a writer met an error',
    { writers: { ...good.writers, errors: 1, problems: ['404'] } },
    /1 errors.*\n404/,
  ],
  ['an answer contradicts the history', { writers: { ...good.writers, violations: 1 } }, /1 contradictions/],
  ['nothing was written after the swap', { writers: { ...good.writers, operationsByIndex: {} } }, /no write/],
];

test.each(flawed)('does not pass when %s', (_what, parts, message) => {
  const { lines, passed } = createReport({ ...good, ...parts }, []);
  expect(passed).toBe(false);
  expect(lines.join('\n')).toMatch(message);
});

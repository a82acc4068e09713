import type { Plan } from '@aosc/client';
import { effectLines, estimateRows, sumOf } from './plan-words';

const plan = (verdicts: readonly Plan['verdict'][], more: Partial<Plan> = {}): Plan => ({
  plan_id: '1.a',
  source_index: 'a',
  target_index: 'b',
  alias: 'c',
  verdict: 'ok',
  checks: verdicts.map((verdict) => ({ id: 'alias.free', verdict, evidence: '' })),
  differences: [],
  differences_truncated: false,
  ...more,
});

test.each<[readonly Plan['verdict'][], string]>([
  [['ok', 'ok'], 'Nothing is in the way.'],
  [['ok', 'warn'], 'Nothing is in the way. 1 thing to know before.'],
  [['refuse', 'warn'], 'This would be refused: 1 thing in the way.'],
  [['refuse', 'refuse', 'ok'], 'This would be refused: 2 things in the way.'],
])('%j: %s', (verdicts, sum) => {
  expect(sumOf(plan(verdicts))).toBe(sum);
});

test('estimates have units, and say how they were made; what was not measured is left out', () => {
  const estimates = {
    documents: { value: 12_345, how: 'counted' },
    disk_bytes: { value: 2_500_000, how: 'files' },
    seconds: { value: 192, how: 'read' },
    pause_ms: { value: 350, how: 'changes' },
  };
  expect(estimateRows(plan([], { estimates }))).toEqual([
    { label: 'Documents', value: '12,345', how: 'counted' },
    { label: 'Disk', value: '2.50 MB', how: 'files' },
    { label: 'Time of the copy', value: '3 min 12 s', how: 'read' },
    { label: 'Pause of writes', value: '350 ms', how: 'changes' },
  ]);
  expect(estimateRows(plan([]))).toEqual([]);
});

test('a script shows as a diff of fields', () => {
  const fields = [
    { field: 'a', added: 3, removed: 0, changed: 0 },
    { field: 'b.c', added: 0, removed: 1, changed: 1_200 },
  ];
  expect(effectLines(fields).map(({ text }) => text)).toEqual([
    '+ a: 3 documents',
    '- b.c: 1 document',
    '~ b.c: 1,200 documents',
  ]);
});

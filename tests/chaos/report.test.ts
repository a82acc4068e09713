import { renderReport } from './report';

type Line = Parameters<typeof renderReport>[0][number];
const line = (values: Partial<Line>): Line => ({
  seed: 1,
  fault: 'worker_kill',
  phase: 'ACTIVE',
  plan: 'a plan',
  end: 'COMPLETED',
  problems: [],
  settledMs: 1_000,
  longestBlockMs: 500,
  operations: 10,
  commit: 'abc1234',
  at: '2025-01-01T00:00:00.000Z',
  ...values,
});
const late = { held: 3, answered: { 'POST _search': 4, 'POST _mget': 1 }, refused: 2 };

test('lines from before there were nodes that came back, or documents that moved, are counted as they are', () => {
  const page = renderReport([line({})]);
  expect(page).toContain('1 runs, in 1 of which the fault struck');
  expect(page).toContain('In 0 runs the writers moved documents');
  expect(page).not.toContain('## Nodes that came back');
});

test('what nodes answered by their old state is added up, by fault and by request', () => {
  const page = renderReport([
    line({}),
    line({ seed: 2, fault: 'node_returns', late, moves: 1_500 }),
    line({ seed: 3, fault: 'node_returns', late: { held: 1, answered: {}, refused: 0 } }),
    line({ seed: 4, fault: 'manager_returns', late }),
  ]);
  expect(page).toContain('In 1 runs the writers moved documents between shards: 1,500 times');
  expect(page).toContain('| node_returns | 2 | 1 | 4 | 5 | 2 |');
  expect(page).toContain('| manager_returns | 1 | 1 | 3 | 5 | 2 |');
  expect(page).toContain('Such answers by request: `POST _search` 8, `POST _mget` 2.');
});

test('a problem is reported with its seed, and again as solved when the same plan went well later', () => {
  const wrong = line({ seed: 5, problems: ['source copy unassigned: a[0] replica'] });
  expect(renderReport([wrong])).toContain(
    '- seed 5, worker_kill in ACTIVE, at abc1234: source copy unassigned',
  );
  expect(renderReport([wrong, line({ seed: 5 })])).toContain('Wrong once, and right');
});

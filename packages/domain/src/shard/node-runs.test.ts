import { missingRuns, nodeIdOf, nodeRun } from './node-runs';

const a = nodeRun('a', '1');
const b = nodeRun('b', '1');

test.each([
  { what: 'all are there', members: [a, b], missing: [] },
  { what: 'one has left', members: [b], missing: [a] },
  { what: 'one has left and came back', members: [a, b, nodeRun('c', '1')], missing: [] },
  { what: 'one was restarted', members: [nodeRun('a', '2'), b], missing: [] },
  { what: 'all are others', members: [nodeRun('c', '1')], missing: [a, b] },
])('$what', ({ members, missing }) => {
  expect(missingRuns([a, b], members)).toEqual(missing);
});

test('a run names its node', () => {
  expect(nodeIdOf(nodeRun('edlNTrcBR2-IuqdiGcCMlg', 'vYHzkR9aTpeFuPqFoOjTFQ'))).toBe(
    'edlNTrcBR2-IuqdiGcCMlg',
  );
});

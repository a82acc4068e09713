import { describePhase, describeRehearsal } from './rehearsal.ts';

test('a rehearsal is told apart from a cancel, with what was found beside the estimates', () => {
  const rehearsal = {
    outcome: 'not_verified',
    differences: 0,
    documents_verified: 5000,
    verified_ms: 2100,
    estimated: { documents: 5000, seconds: 2 },
    found: { documents: 5010, seconds: 3, pause_ms: 412 },
  } as const;
  expect(describePhase({ phase: 'CANCELLED', rehearsal })).toBe('CANCELLED, rehearsed: not verified');
  expect(describePhase({ phase: 'CANCELLED', rehearsal: { estimated: {} } })).toBe('CANCELLED');
  expect(describeRehearsal({ rehearsal })).toEqual([
    ['Copied', '5,010 documents, estimated 5,000'],
    ['Time of the copy', '3 s, estimated 2'],
    ['Pause of writes', '412 ms, not estimated'],
    ['Verified', '5,000 documents in 3 s, 0 differences'],
  ]);
  expect(describeRehearsal({})).toEqual([]);
});

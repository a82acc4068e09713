import { newVerification } from './certificate';
import { endVerification, nextPass, unprovenOperations, withPart } from './passes';

const range = (to: number, documents: number, toTarget = to) => ({
  sourceShards: [0],
  targetShards: [0],
  documents,
  toSeqNo: { '0': to },
  toTargetSeqNo: { '0': toTarget },
});
const begun = newVerification('k', 0);
const settled = { parts: 1, differences: [], unsettled: 0 };
const ofTwo = { ...settled, parts: 2 };

test('a group is verified up to where its least part is, and a later pass goes on from there', () => {
  const first = withPart(begun, { ...ofTwo, range: range(10, 3) });
  expect([first.ranges, first.position.part]).toEqual([[], 1]);
  const whole = withPart(first, { ...ofTwo, range: range(8, 4, 12) });
  expect(whole.ranges).toEqual([range(8, 7, 10)]);
  expect(whole).toMatchObject({ documentsCompared: 7, position: { group: 1, part: 0 } });
  const later = withPart(nextPass(whole), { ...settled, range: range(20, 2) });
  expect(later).toMatchObject({ passes: 2, documentsCompared: 9, ranges: [range(20, 9)] });
});

test('a group with documents that could not be judged stays where it was', () => {
  const busy = { ...ofTwo, range: range(10, 3), unsettled: 1 };
  const first = withPart(withPart(begun, busy), { ...ofTwo, range: range(10, 3) });
  expect(first).toMatchObject({ unsettled: 1, ranges: [range(-1, 6)] });
  const second = withPart(
    { ...nextPass(first), position: { group: 0, part: 0 } },
    { ...settled, range: range(11, 6) },
  );
  expect(second).toMatchObject({ unsettled: 0, ranges: [range(11, 12)] });
  expect(withPart(nextPass(second), { ...busy, parts: 1, range: range(30, 1) }).ranges).toEqual([
    range(11, 13),
  ]);
});

test('after the swap documents that applications may have deleted do not keep the rest from being verified', () => {
  const last = withPart({ ...begun, unprovenAtSwap: 3 }, { ...settled, range: range(10, 3), unsettled: 1 });
  expect(last).toMatchObject({ unsettled: 1, ranges: [range(10, 3)] });
});

test('repaired documents are counted where repairs were asked for', () => {
  const asked = newVerification('k', 0, { repair: true });
  expect(withPart(asked, { ...settled, range: range(1, 1), repaired: 2 }).repaired).toBe(2);
  expect(withPart(begun, { ...settled, range: range(1, 1), repaired: 2 }).repaired).toBeUndefined();
});

test('what is above the last verified number is unproven, and a shard that no pass has reached wholly', () => {
  const { ranges } = withPart(
    { ...begun, position: { group: 0, part: 0 } },
    { ...settled, range: range(10, 3) },
  );
  expect(unprovenOperations({ ranges }, { '0': 12, '1': 4 })).toEqual([2, 5]);
  expect(unprovenOperations({ ranges }, { '0': 9 })).toEqual([0]);
});

test('documents that shards write to in turn are counted by each pass, and hold no range back', () => {
  const first = withPart(newVerification('k', 0), { ...settled, contested: 2, range: range(10, 1) });
  expect(first).toMatchObject({ contested: 2, unsettled: 0, ranges: [{ toSeqNo: { '0': 10 } }] });
  expect(nextPass(first)).not.toHaveProperty('contested');
});

test('a verification that fails keeps what it has found, and after the swap says what is not verified', () => {
  const failure = { reason: 'too many differ', found: [{ kind: 'missing', id: 'a' }] } as const;
  const found = { counts: { ...begun.counts, missing: 1 }, samples: failure.found, endedAtMillis: 9 };
  expect(endVerification(begun, 9, failure)).toEqual({
    ...begun,
    ...found,
    phase: 'failed',
    reason: failure.reason,
  });
  const last = { ...begun, unprovenAtSwap: 3 };
  expect(endVerification(last, 9, failure)).toEqual({
    ...last,
    ...found,
    phase: 'done',
    reason: 'what was written last before the swap is not verified: too many differ',
  });
  expect(endVerification(last, 9)).toEqual({ ...last, phase: 'done', endedAtMillis: 9 });
});

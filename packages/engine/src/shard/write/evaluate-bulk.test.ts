import type { BulkItem, BulkOutcome, ItemFailure, ItemFailureKind } from '../../ports/write-port';
import { describeOutcome, isInDoubt, isOutage, evaluateBulk, reportKind } from './evaluate-bulk';

const items: readonly BulkItem[] = [1, 2, 3].map((id) => ({
  kind: 'delete',
  key: { id: `d${id}`, routing: undefined },
  seqNo: id,
  primaryTerm: 1,
}));
const documents: readonly BulkItem[] = [1, 2, 3].map((id) => ({
  kind: 'index',
  document: {
    idToken: `"d${id}"`,
    routingToken: undefined,
    version: '1',
    source: new Uint8Array(),
    size: 0,
  },
}));
const alone = documents.slice(0, 1);

function failure(index: number, kind: ItemFailureKind): ItemFailure {
  return { index, kind, status: 400, type: 'some_exception', reason: kind, id: `d${index + 1}` };
}

function answered(...failures: readonly ItemFailure[]): BulkOutcome {
  return { type: 'answered', tookMs: 1, failures, replaced: () => [] };
}

const refused = (kind: 'overload' | 'too_large' | 'fatal'): BulkOutcome => ({
  type: 'refused',
  kind,
  status: 413,
  reason: 'no',
});
const unknown: BulkOutcome = { type: 'unknown', reason: 'no answer' };
const outage: BulkOutcome = { ...unknown, isOutage: true };

describe('a bulk without an answer', () => {
  test.each([
    [unknown, true],
    [outage, false],
  ])('is in doubt as a whole; what the controller counts, the sender does not', (outcome, isCounted) => {
    expect(evaluateBulk(outcome, items, false)).toEqual({ type: 'doubt', isCounted });
    expect(isInDoubt(outcome)).toBe(true);
    expect(isOutage(outcome)).toBe(!isCounted);
    expect(reportKind(outcome)).toBe('transient');
  });
});

describe('a bulk that was refused as a whole', () => {
  test.each(['overload', 'too_large'] as const)('%s: it goes in halves', (kind) => {
    expect(evaluateBulk(refused(kind), items, false)).toEqual({ type: 'halve', isApplied: false });
    expect(isInDoubt(refused(kind))).toBe(false);
  });

  test('of one document: for overload it is sent again, too large it is the document that is refused', () => {
    expect(evaluateBulk(refused('overload'), alone, false)).toEqual({ type: 'repeat' });
    expect(evaluateBulk(refused('too_large'), alone, false)).toMatchObject({
      type: 'answered',
      again: [],
      refused: [{ index: 0, type: 'too_large', reason: expect.stringContaining('no') as string }],
    });
  });

  test('for good: it fails, however many there are', () => {
    expect(evaluateBulk(refused('fatal'), items, false)).toEqual({
      type: 'fail',
      reason: 'the target refuses a bulk of 3 items with status 413: no',
    });
  });
});

describe('a bulk that was answered', () => {
  test('without failures nothing is left to do', () => {
    const nothing = {
      type: 'answered',
      conflicts: [],
      refused: [],
      inDoubt: [],
      again: [],
      isCounted: false,
    };
    expect(evaluateBulk(answered(), items, true)).toEqual(nothing);
    expect(describeOutcome(answered())).toBe('success');
  });

  test('conflicts are handed back; the rest is sent again', () => {
    const conflict = failure(0, 'conflict');
    expect(evaluateBulk(answered(conflict, failure(2, 'overload')), items, false)).toEqual({
      type: 'answered',
      conflicts: [conflict],
      refused: [],
      inDoubt: [],
      again: [2],
      isCounted: false,
    });
  });

  test.each([
    ['fenced', false, 'success'],
    ['ambiguous', true, 'transient'],
  ] as const)('%s items are in doubt, and sent again behind a new fence', (kind, isCounted, report) => {
    const outcome = answered(failure(1, kind));
    expect(evaluateBulk(outcome, items, false)).toMatchObject({ inDoubt: [1], again: [1], isCounted });
    expect(isInDoubt(outcome)).toBe(true);
    expect(reportKind(outcome)).toBe(report);
  });

  test('what is ambiguous beside overload, the controller counts as overload alone: the sender counts it', () => {
    const outcome = answered(failure(0, 'ambiguous'), failure(1, 'overload'));
    expect(reportKind(outcome)).toBe('overload');
    expect(evaluateBulk(outcome, items, false)).toMatchObject({
      inDoubt: [0],
      again: [0, 1],
      isCounted: false,
    });
  });

  test('the reason is that of the kind that is counted, and never quotes a document', () => {
    const reason =
      "failed to parse field [ssn] in document with id 'u-1'. Preview of field's value: '078-05'";
    const fatal = { ...failure(0, 'fatal'), reason };
    const ambiguous = failure(1, 'ambiguous');
    expect(describeOutcome(answered(fatal, ambiguous, failure(2, 'overload')))).toBe(
      'some_exception: overload',
    );
    expect(describeOutcome(answered(ambiguous, fatal))).toBe('some_exception: failed to parse field [ssn]');
    expect(describeOutcome(answered(failure(0, 'conflict'), ambiguous))).toBe('some_exception: ambiguous');
    expect(evaluateBulk(answered(fatal), items, false)).toEqual({
      type: 'fail',
      reason: expect.stringMatching(/failed to parse field \[ssn\]$/) as string,
    });
  });

  test('a document that is refused is told apart from what is to be sent again', () => {
    const fatal = failure(1, 'fatal');
    const outcome = answered(failure(0, 'ambiguous'), fatal);
    expect(evaluateBulk(outcome, documents, false)).toMatchObject({
      type: 'answered',
      refused: [fatal],
      inDoubt: [0],
      again: [0],
    });
    expect(reportKind(outcome)).toBe('fatal');
  });

  test.each([
    ['a delete', items, {}],
    ['what another document would meet as well: a permission', documents, { status: 403 }],
    [
      'what another document would meet as well: a closed index',
      documents,
      { type: 'index_closed_exception' },
    ],
    [
      'what another document would meet as well: a deleted pipeline',
      documents,
      { reason: 'pipeline with id [aosc-transform-k] does not exist' },
    ],
  ])('%s that is refused fails the shard', (_, sent, parts) => {
    const outcome = answered({ ...failure(1, 'fatal'), ...parts });
    expect(evaluateBulk(outcome, sent, false)).toEqual({
      type: 'fail',
      reason: expect.stringMatching(/refuses 1 of 3 documents of a bulk; first: document .*d2.*: /) as string,
    });
  });

  test('through the pipeline one document can take all with it: it is searched for', () => {
    const outcome = answered(...documents.map((_, index) => failure(index, 'fatal')));
    expect(evaluateBulk(outcome, documents, true)).toEqual({ type: 'halve', isApplied: false });
    expect(evaluateBulk(outcome, documents, false)).toMatchObject({ refused: [{}, {}, {}] });
    expect(evaluateBulk(answered(failure(0, 'fatal')), alone, true)).toMatchObject({
      refused: [{ index: 0 }],
    });
    expect(evaluateBulk(answered(failure(0, 'fatal')), documents, true)).toMatchObject({
      refused: [{ index: 0 }],
    });
  });

  test('through the pipeline failures can change their places: each half tells whose they are', () => {
    const outcome = answered({ ...failure(0, 'fatal'), id: 'd3' });
    expect(evaluateBulk(outcome, documents, true)).toEqual({ type: 'halve', isApplied: true });
  });
});

import { type DocumentLooks, judgeAfterSwap, judgeDocument } from './judge';

const operation = { seqNo: 7, primaryTerm: 1 };
const document = { ...operation, version: '3', content: 'a' };
/** The target numbers its operations by itself. */
const copy = { ...document, seqNo: 40 };
const rest = { isAtRest: true, sourceNow: undefined };
const still = { isAtRest: false, sourceNow: operation };

test.each<[string, DocumentLooks, string]>([
  ['the same on both sides', { ...still, source: document, target: copy }, 'equal'],
  ['on neither side', { ...rest, source: undefined, target: undefined }, 'equal'],
  ['not in the target', { ...still, source: document, target: undefined }, 'missing'],
  ['of another version', { ...still, source: document, target: { ...copy, version: '2' } }, 'version'],
  ['of another content', { ...still, source: document, target: { ...copy, content: 'b' } }, 'source'],
  [
    'of the snapshot that the target has, though the source goes on',
    { isAtRest: false, sourceNow: { seqNo: 8, primaryTerm: 1 }, source: document, target: copy },
    'equal',
  ],
  [
    'written in the source while a round may be at work',
    { isAtRest: false, sourceNow: { seqNo: 8, primaryTerm: 1 }, source: document, target: undefined },
    'moved',
  ],
  [
    'with the number of an operation of another primary',
    { isAtRest: false, sourceNow: { seqNo: 7, primaryTerm: 2 }, source: document, target: undefined },
    'moved',
  ],
  [
    'deleted in the source while a round may be at work',
    { isAtRest: false, sourceNow: undefined, source: document, target: { ...copy, version: '2' } },
    'moved',
  ],
  ['missing, with no round at work', { ...rest, source: document, target: undefined }, 'missing'],
  ['in the target alone, with no round at work', { ...rest, source: undefined, target: copy }, 'extra'],
  [
    'in the target alone, left over by a whole round',
    { isAtRest: false, sourceNow: undefined, source: undefined, target: copy, targetBefore: copy },
    'extra',
  ],
  [
    'in the target alone, and made again in the source',
    { isAtRest: false, sourceNow: operation, source: undefined, target: copy, targetBefore: copy },
    'moved',
  ],
  [
    'in the target alone, written since the first look',
    {
      isAtRest: false,
      sourceNow: undefined,
      source: undefined,
      target: copy,
      targetBefore: { ...copy, seqNo: 39 },
    },
    'moved',
  ],
  [
    'in the target alone, seen for the first time',
    { isAtRest: false, sourceNow: undefined, source: undefined, target: copy },
    'moved',
  ],
])('a document %s', (_what, looks, expected) => {
  expect(judgeDocument(looks)).toBe(expected);
});

const since = { swapSeqNo: 50, nowSeqNo: 60 };
const untouched = { swapSeqNo: 50, nowSeqNo: 50 };

test('after the swap what an application has written is no difference, and what was there before is one', () => {
  expect(judgeAfterSwap('version', { ...copy, seqNo: 51 }, since)).toBe('equal');
  expect(judgeAfterSwap('extra', { ...copy, seqNo: 51 }, since)).toBe('equal');
  expect(judgeAfterSwap('version', { ...copy, seqNo: 50 }, since)).toBe('version');
  expect(judgeAfterSwap('extra', { ...copy, seqNo: 50 }, since)).toBe('extra');
});

test('after the swap a document that is gone is missing while its shard stands still, and unknown afterwards', () => {
  expect(judgeAfterSwap('missing', undefined, untouched)).toBe('missing');
  expect(judgeAfterSwap('missing', undefined, since)).toBe('unknown');
  expect(judgeAfterSwap('equal', undefined, since)).toBe('equal');
});

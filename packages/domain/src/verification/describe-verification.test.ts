import { newVerification } from './certificate';
import { describeVerification } from './describe-verification';
import { withDifferences } from './findings';

const running = newVerification('k', 0);

test('only a verification that is done without a difference lets a cutover begin', () => {
  expect(describeVerification({ ...running, documentsCompared: 7 })).toContain('7 documents are verified');
  expect(describeVerification({ ...running, phase: 'failed', reason: 'no room' })).toContain('no room');
  expect(describeVerification({ ...running, phase: 'done' })).toBeUndefined();
  expect(describeVerification({ ...running, phase: 'done', unsettled: 2 })).toContain(
    '2 documents were written',
  );
});

test('with differences it names kinds and the first documents', () => {
  const found = withDifferences(running, [
    { kind: 'missing', id: 'a' },
    { kind: 'extra', id: 'b' },
    { kind: 'extra', id: 'c' },
    { kind: 'extra', id: 'd' },
  ]);
  const text = describeVerification({ ...running, ...found, phase: 'done' });
  expect(text).toContain('4 documents (1 missing, 3 extra), first: [a] missing, [b] extra, [c] extra. ');
});

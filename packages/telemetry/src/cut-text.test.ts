import fc from 'fast-check';
import { cutText } from './cut-text';
import { scrubText } from './scrub';

const mark = / \(\d+ more characters\)$/;

test('a text that fits stays', () => {
  expect(cutText('0123456789', 10)).toBe('0123456789');
});

test('a long one ends between two words, and says what is missing', () => {
  expect(cutText('one two three four', 12)).toBe('one two… (11 more characters)');
});

test('a word that is longer than all is cut within', () => {
  expect(cutText('x'.repeat(5_000), 3_000)).toBe(`${'x'.repeat(3_000)}… (2000 more characters)`);
});

test.each([
  ['a URL whose @ is behind the cut', 'http://', 'p4ssw0rd', '@node:9200/'],
  ['a header whose end is behind the cut', 'Authorization: Basic ', 'cDRzc3cwcmQ6eHh4', ''],
  ['a token without its name', 'sent Bearer ', 'QWxhZGRpbjpvcGVu', ''],
  ['a session token', 'X-Amz-Security-Token=', 'IQoJb3JpZ2luX2Vj', ' for GET /'],
])('wherever %s is cut, nothing of it is left', (_what, before, secret, after) => {
  // longer than one word may be, so that the cut can fall inside of the secret
  const long = secret.repeat(600);
  for (const filler of ['word ', 'x']) {
    for (let shift = 0; shift < 40; shift += 1) {
      const lead = filler.repeat(20_000).slice(0, 16_384 - before.length - 1_500 * (shift % 3) - shift);
      const clean = scrubText(`${lead} ${before}${long}${after}`);
      expect(clean).not.toContain(secret.slice(0, 4));
      expect(clean).toMatch(mark);
    }
  }
});

test('what is searched for secrets is bounded, however long the text is', () => {
  for (const letters of ['a', 'a:', '://', 'http://a', 'Bearer ', 'authorization', ' ', '@']) {
    expect(scrubText(letters.repeat(1_000_000)).length).toBeLessThan(70_000);
  }
});

/** As it was written before it was linear: what it hid is still hidden. */
// eslint-disable-next-line regexp/no-super-linear-move -- it is kept to compare with
const formerUserinfo = /([a-z][a-z0-9+.-]*:\/\/)[^/?#\s"']*@/gi;

test('the user of a URL is hidden wherever it was before', () => {
  const part = fc.constantFrom('http', '://', 'u', ':', 'p', '@', '/', '?', '#', ' ', '"', 'Z', '1', '-');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const former = text.replace(formerUserinfo, '$1***@');
      // A scheme that is none (`1://u@`) is hidden as well now.
      expect(scrubText(text).replaceAll('***', '')).toBe(
        former.replaceAll('***', '').replace(/:\/\/[^/?#\s"']*@/g, '://@'),
      );
    }),
    { numRuns: 500 },
  );
});

import fc from 'fast-check';

/** JSON texts as applications write them: odd numbers, odd strings, white space between all tokens. */
const blank = fc
  .array(fc.constantFrom(' ', '\n', '\r', '\t', '\r\n'), { maxLength: 3 })
  .map((parts) => parts.join(''));

const nastyString = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '}]}',
      '"_source":{',
      '"hits":[',
      '// x',
      '/* x',
      '\u2028',
      '\u0000',
      '\n',
      '{',
      '[',
    ),
    fc.string({ minLength: 30, maxLength: 80 }).map((text) => `${text}\\"\\`),
  )
  .map((text) => JSON.stringify(text));

const number = fc.oneof(
  fc.constantFrom('1.0', '-0', '1e400', '-1E-400', '18446744073709551617', '1.10', '0', '1E5'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

const scalar = fc.oneof(nastyString, number, fc.constantFrom('true', 'false', 'null'));

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalar, tie('array'), tie('object')),
  array: fc
    .array(fc.tuple(blank, tie('value'), blank), { maxLength: 5 })
    .map((elements) => `[${elements.map((e) => e.join('')).join(',')}]`),
  object: objectOf(tie('value')),
}));

function objectOf(member: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(blank, nastyString, blank, blank, member, blank), { maxLength: 6 })
    .map((members) => `{${members.map(([a, key, b, c, v, d]) => `${a}${key}${b}:${c}${v}${d}`).join(',')}}`);
}

/** A stored source: an object, with a byte order mark, blanks or comments around it and in it. */
export const source = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', '\n ', ' \r\n'),
    objectOf(value),
    fc.constantFrom('', '', '\r', ' \n', ' /* } " */ ', '\r\n'),
  )
  .map((parts) => parts.join(''));

export const token = nastyString;
export const version = fc.oneof(fc.constantFrom('1', '9223372036854775806'), fc.nat().map(String));
export const jsonValue = value;
export const whiteSpace = blank;

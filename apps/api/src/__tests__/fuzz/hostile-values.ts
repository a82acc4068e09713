import fc from 'fast-check';

/** Texts that some program, somewhere, has taken for something else than a text. */
const infamousTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '..',
  '../../_cluster/settings',
  '..%2f..%2f_all',
  '%00',
  '*',
  '_all',
  '-*',
  '+a',
  '_x',
  'a,b',
  '<a-{now/d}>',
  'cluster:index',
  '.aosc-migrations',
  '__proto__',
  'constructor',
  'toString',
  'UPPER',
  '\u212a',
  'ı',
  'e\u0301',
  '\u202etxt',
  '\ufeff',
  '\ud800',
  '\udfff\ud83d',
  '😀',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '${jndi:ldap://127.0.0.1/a}',
  "'; DROP TABLE x --",
  '{{7*7}}',
  '\r\nx-injected: 1',
  'null',
  'NaN',
  '1e400',
  '-0',
  '0x10',
  '９',
  'true',
  'index.',
  'identity',
  'x'.repeat(256),
  'é'.repeat(5_000),
];

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...infamousTexts) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
);

/** Long enough to show work that grows faster than its input. */
const longText = fc
  .tuple(fc.constantFrom('1', ' ', '*', '*a', '.', '"', '\\', '<', 'aosc.'), fc.constantFrom(1_000, 100_000))
  .map(([part, times]) => `${part.repeat(times)}x`);

export const anyText = fc.oneof({ weight: 20, arbitrary: hostileText }, { weight: 1, arbitrary: longText });

const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '-1', '60', '1.5', '1e400', '-1e400', '1e-400', '1e300', '2147483648'),
  fc.constantFrom('9007199254740993', '18446744073709551617', '1E5', '9'.repeat(400)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const deepText = fc
  .tuple(
    fc.constantFrom(20, 199, 201, 1_000, 20_000, 100_000),
    fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}'], ['[{"bool":', '}]']),
  )
  .map(([depth, [open, close]]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

const wideText = fc
  .tuple(fc.constantFrom(1_000, 20_000), fc.constantFrom('target_inde', 'index.x', 'a'))
  .map(([count, name]) => `{${Array.from({ length: count }, (_, i) => `"${name}${i}":${i}`).join()}}`);

const quoted = (text: string): string => JSON.stringify(text);

/** JSON texts: numbers that no double holds, keys that occur twice, and everything else that `JSON.stringify` never writes. */
export const hostileJson: fc.Arbitrary<string> = fc.letrec<{ value: string; scalar: string }>((tie) => ({
  scalar: fc.oneof(
    { weight: 6, arbitrary: anyText.map(quoted) },
    { weight: 4, arbitrary: numberText },
    { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null', '{}', '[]') },
  ),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 8, arbitrary: tie('scalar') },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`) },
    { weight: 2, arbitrary: objectText(hostileText, tie('value')) },
    {
      weight: 1,
      arbitrary: fc.oneof({ weight: 3, arbitrary: deepText }, { weight: 1, arbitrary: wideText }),
    },
  ),
})).value;

/** An object with these keys and values, given as JSON texts; a key may come twice. */
export function objectText(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
  maxLength = 4,
): fc.Arbitrary<string> {
  return fc.array(fc.tuple(key, value), { maxLength }).map(writeObject);
}

/** @param value JSON */
export function writeObject(members: readonly (readonly [key: string, value: string])[]): string {
  return `{${members.map(([key, value]) => `${quoted(key)}:${value}`).join()}}`;
}

/** A text as a part of a path or query: its UTF-8 with each byte escaped that may not stand there; lone surrogates too. */
export function escapeText(text: string): string {
  return [...new Uint8Array(Buffer.from(text, 'utf8'))]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9_.~*-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** A part of a path, some of them escaped in unusual ways. At most some kilobytes, or Node refuses the header. */
export const pathPart: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: hostileText.map((text) => escapeText(text.slice(0, 1_000))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '%',
      '%zz',
      '%ff',
      '%c3%28',
      '%ed%a0%80',
      '%252e',
      '%2e%2e',
      '%2f',
      '%5c',
      ';a',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(8_000), '%41'.repeat(2_000), '/'.repeat(500)) },
);

import { eachElement, eachMember, endOfValue, RawJsonError, skipBlanks, textOf } from './raw-json';

function membersOf(text: string): Record<string, string> {
  const bytes = Buffer.from(text);
  const members: Record<string, string> = {};
  eachMember(bytes, skipBlanks(bytes, 0), (key, start) => {
    const end = endOfValue(bytes, start);
    members[key] = bytes.toString('utf8', start, end);
    return end;
  });
  return members;
}

test('values are cut out as they stand, however they look', () => {
  const text = '{"a":1.0,"b" : "}\\"]","c":{"d":[1,{"e":"]"}]},"f":[],"g":12345678901234567890,"h":null}';
  expect(membersOf(text)).toEqual({
    a: '1.0',
    b: '"}\\"]"',
    c: '{"d":[1,{"e":"]"}]}',
    f: '[]',
    g: '12345678901234567890',
    h: 'null',
  });
});

test('a byte order mark, line breaks and comments are blanks, also around braces and quotes', () => {
  expect(membersOf('\ufeff\r\n{ /* " } */ "a": {"b": /* } */ 1 // "\n}\t, "c":2/**/}\r')).toEqual({
    a: '{"b": /* } */ 1 // "\n}',
    c: '2',
  });
});

test('a string that ends in backslashes ends at its own quote', () => {
  expect(membersOf('{"a":"x\\\\","b":"\\\\\\"","c":""}')).toEqual({ a: '"x\\\\"', b: '"\\\\\\""', c: '""' });
});

test('elements are visited in order, and text is decoded', () => {
  const bytes = Buffer.from('["\\u00e9", "ü" ,"🌍"]');
  const seen: string[] = [];
  const end = eachElement(bytes, 0, (start) => {
    const valueEnd = endOfValue(bytes, start);
    seen.push(textOf(bytes, start, valueEnd));
    return valueEnd;
  });
  expect(seen).toEqual(['é', 'ü', '🌍']);
  expect(end).toBe(bytes.length);
});

test.each(['{"a":', '{"a":"x', '{"a" 1}', '{"a":1', '{"a":/* }', '[1]', '{"a":,"b":1}'])(
  'a broken text is an error, not an end: %s',
  (text) => {
    expect(() => membersOf(text)).toThrow(RawJsonError);
  },
);

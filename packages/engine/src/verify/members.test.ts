import { sortedMembers } from './members';

const sorted = (text: string): string => sortedMembers(Buffer.from(text)).toString();

test.each([
  ['{}', ''],
  ['{"b":1,"a":2}', '"a":2,"b":1'],
  ['{"b":{"d":1,"c":[1,{"y":2,"x":3}]},"a":"x,y"}', '"a":"x,y","b":{"d":1,"c":[1,{"y":2,"x":3}]}'],
  ['{"b":"}\\"{","a\\\\":"\\\\"}', '"a\\\\":"\\\\","b":"}\\"{"'],
  ['{"ß":"€","a":"😀"}', '"a":"😀","ß":"€"'],
])('%s has the members %s', (text, members) => {
  expect(sorted(text)).toBe(members);
});

test('what stands in the bytes around it does not count', () => {
  const bytes = Buffer.from('x{"b":1,"a":2}y');
  expect(sortedMembers(bytes.subarray(1, -1)).toString()).toBe('"a":2,"b":1');
});

test.each(['{"a":"b', '{"a":"b\\"}'])('a string that does not end is an error: %s', (text) => {
  expect(() => sorted(text)).toThrow(SyntaxError);
});

import fc from 'fast-check';
import { describeLostDecimal, findLostDecimal } from '.';

test.each(['2.0', '-0.0', '1e3', '1E3', '100.00', '1.0000000000000000001', '0e5', '12.50e1'])(
  '%s would become an integer',
  (token) => {
    expect(findLostDecimal(`{"a":[1,{"b":${token}}]}`)).toEqual({ path: ['a', '1', 'b'], token });
  },
);

test.each(['2', '-0', '0.5', '1.19', '0.10', '1e-3', '1e300', '9007199254740993', '1e400'])(
  '%s stays what it is',
  (token) => {
    expect(findLostDecimal(`{"a":${token}}`)).toBeUndefined();
  },
);

test('texts are no numbers, and names may be anything', () => {
  expect(findLostDecimal('{"a":"2.0","2.0":1,"__proto__":"1e3"}')).toBeUndefined();
});

test('of two values of one name the last one counts, as for JavaScript', () => {
  expect(findLostDecimal('{"a":2.0,"a":1}')).toBeUndefined();
  expect(findLostDecimal('{"a":1,"a":2.0}')).toMatchObject({ token: '2.0' });
});

test('only a part is searched', () => {
  const text = '{"options":{"n":2.0},"script":{"params":{"n":1,"m":3.0}}}';
  expect(findLostDecimal(text, ['script', 'params'])).toEqual({ path: ['m'], token: '3.0' });
  expect(findLostDecimal(text, ['script', 'nothing'])).toBeUndefined();
  expect(findLostDecimal('[]', ['script'])).toBeUndefined();
});

test('what JavaScript itself has written is never lost', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(findLostDecimal(JSON.stringify(value))).toBeUndefined();
    }),
  );
});

test('the text names the place and the way out', () => {
  expect(describeLostDecimal('params', { path: ['a', '0'], token: '2.0' })).toBe(
    'params holds the decimal [2.0] at [a.0], which would reach the script as an integer; write it into the script ' +
      'itself, or as a text that the script reads with Double.parseDouble',
  );
});

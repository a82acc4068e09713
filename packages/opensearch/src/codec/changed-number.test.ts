import { findChangedNumber } from './changed-number';

test.each(['0', '-1', '9007199254740991', '0.1', '1.50', '1e3', '-2.5E-7', '0.0', '100000000000000000000'])(
  '%s is read as it is',
  (number) => {
    expect(findChangedNumber(`{"a":[${number}]}`)).toBeUndefined();
  },
);

test.each(['9007199254740993', '0.12345678901234567', '1e400', '1e-400', '-18446744073709551615'])(
  '%s is found',
  (number) => {
    expect(findChangedNumber(`{"a":1,"b":{"c":${number}}}`)).toBe(number);
  },
);

test('digits in texts are no numbers, whatever is escaped in them', () => {
  expect(
    findChangedNumber('{"a 12345678901234567890":"\\"9007199254740993\\\\","b":"\\\\"}'),
  ).toBeUndefined();
});

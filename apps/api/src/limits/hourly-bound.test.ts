import { createLimitedUse } from './hourly-bound';

test.each([
  ['targets', 20, 180, 'created a target 20 times within an hour'],
  ['starts', 30, 120, 'started a migration 30 times within an hour'],
] as const)(
  'a credential has its %s: %d an hour, and another one its own',
  (what, perHour, waitS, reason) => {
    let millis = 0;
    const use = createLimitedUse(() => millis)[what];
    for (let n = 0; n < perHour; n++) use.take('a');
    expect(() => use.take('a')).toThrow(`try again in ${waitS} s`);
    use.take('b');
    millis += waitS * 1_000;
    use.take('a');
    expect(() => use.take('a')).toThrow(reason);
  },
);

import { logSeldom } from './log-seldom';

const away = new Error('away');

function create() {
  const lines: (readonly [number, string, number])[] = [];
  let now = 0;
  const complain = logSeldom(
    ({ message }, silent) => lines.push([now, message, silent]),
    () => now,
  );
  return {
    lines,
    at: (millis: number, error = away, subject = '') => {
      now = millis;
      complain(error, subject);
    },
  };
}

test('the same trouble every two seconds is logged after pauses that grow', () => {
  const { lines, at } = create();
  for (let millis = 0; millis <= 60_000; millis += 2_000) at(millis);
  expect(lines).toEqual([
    [0, 'away', 0],
    [2_000, 'away', 0],
    [6_000, 'away', 1],
    [14_000, 'away', 3],
    [30_000, 'away', 7],
  ]);
});

test('another trouble is logged at once, and a trouble that comes back after a while is new', () => {
  const { lines, at } = create();
  at(0);
  at(1, new Error('refused'));
  at(100_000);
  at(100_001);
  expect(lines.map(([millis]) => millis)).toEqual([0, 1, 100_000]);
});

test('the same trouble of another subject is another one', () => {
  const { lines, at } = create();
  for (const subject of ['a', 'b', 'a', 'b']) at(0, away, subject);
  expect(lines).toHaveLength(2);
});

test('its memory is bounded', () => {
  const { lines, at } = create();
  for (let n = 0; n < 100; n++) at(0, new Error(`error ${n}`));
  expect(lines).toHaveLength(100);
});

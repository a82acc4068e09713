import { PassThrough } from 'node:stream';
import { createLogger } from '@aosc/telemetry';
import { createRefusedLogins } from './refused-logins';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function create() {
  const clock = { millis: 0 };
  const stream = new PassThrough({ highWaterMark: 2 ** 20 });
  const logger = createLogger({ app: 'api', level: 'info', stream });
  const refused = createRefusedLogins(logger, () => clock.millis);
  const lines = () =>
    String(stream.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  const noteAll = (client: string, times: number): number =>
    Array.from({ length: times }, () => refused.note(client)).filter(Boolean).length;
  return { refused, clock, lines, noteAll };
}

test('of each address 20 have a line at once, then one a second; the others are a number once a minute', () => {
  const { clock, lines, noteAll } = create();
  expect([noteAll('a', 1_000), noteAll('b', 25)]).toEqual([20, 20]);
  clock.millis = 3_000;
  expect(noteAll('a', 10)).toBe(3);
  jest.advanceTimersByTime(60_000);
  expect(lines()).toMatchObject([
    { event: 'audit', action: 'authenticate', outcome: 'refused', count: 987, remoteAddress: 'a' },
    { event: 'audit', action: 'authenticate', outcome: 'refused', count: 5, remoteAddress: 'b' },
  ]);
  jest.advanceTimersByTime(600_000);
  expect(lines()).toEqual([]);
});

test('beyond a thousand addresses they are counted together, and the end tells what is left', () => {
  const { refused, lines, noteAll } = create();
  for (let number = 0; number < 1_005; number += 1) noteAll(`203.0.113.${number}`, 21);
  refused.close();
  const told = lines();
  expect(told).toHaveLength(1_001);
  expect(told.at(-1)).toMatchObject({ count: 5, remoteAddress: 'others' });
});

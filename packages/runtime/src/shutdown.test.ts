import type { Logger } from '@aosc/telemetry';
import { stopOnSignal } from './shutdown';

const lines: [level: string, event: unknown][] = [];
const logger: Logger = {
  error: (_, fields) => lines.push(['error', fields?.event]),
  warn: (_, fields) => lines.push(['warn', fields?.event]),
  info: (_, fields) => lines.push(['info', fields?.event]),
  debug: (_, fields) => lines.push(['debug', fields?.event]),
  child: () => logger,
};

class Exit extends Error {}

const exit = jest.spyOn(process, 'exit');
const others = { SIGTERM: process.listeners('SIGTERM'), SIGINT: process.listeners('SIGINT') } as const;
beforeEach(() => {
  jest.useFakeTimers();
  lines.length = 0;
  exit.mockReset();
  exit.mockImplementation(() => {
    throw new Exit();
  });
});
afterEach(() => {
  jest.useRealTimers();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    for (const listener of process.listeners(name)) {
      if (!others[name].includes(listener)) process.off(name, listener);
    }
  }
});
afterAll(() => exit.mockRestore());

test('what can be handed back is, and the code is 0', async () => {
  exit.mockImplementation(() => undefined as never);
  const stop = jest.fn(() => Promise.resolve());
  stopOnSignal(logger, stop);
  process.emit('SIGTERM');
  await jest.advanceTimersByTimeAsync(0);
  expect(stop).toHaveBeenCalledTimes(1);
  expect(exit.mock.calls).toEqual([[0]]);
  expect(lines).toEqual([
    ['info', 'process_stopping'],
    ['info', 'process_stopped'],
  ]);
});

test('what never ends is cut off within ten seconds, and the log says so', () => {
  stopOnSignal(logger, () => new Promise(() => undefined));
  process.emit('SIGTERM');
  expect(() => jest.advanceTimersByTime(10_000)).toThrow(Exit);
  expect(exit.mock.calls).toEqual([[1]]);
  expect(lines.at(-1)).toEqual(['error', 'process_stop_overdue']);
});

test('a second signal waits for nothing', () => {
  stopOnSignal(logger, () => new Promise(() => undefined));
  process.emit('SIGINT');
  expect(() => process.emit('SIGTERM')).toThrow(Exit);
  expect(exit.mock.calls).toEqual([[1]]);
});

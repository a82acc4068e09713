import { toFigures } from './figures';
import type { Poll } from './poller';

const createPoll = (parts: Partial<Poll>): Poll => ({
  latencyMs: 1,
  status: 200,
  bytes: 100,
  conditional: false,
  ...parts,
});

test('answers with a tag and without are told apart, and failures count in the times alone', () => {
  const polls = [
    createPoll({ latencyMs: 4 }),
    createPoll({ conditional: true, status: 304, bytes: 20 }),
    createPoll({ conditional: true, bytes: 120 }),
    createPoll({ status: 503, latencyMs: 900, bytes: 9000 }),
    createPoll({ status: undefined, latencyMs: 30_000, bytes: 0 }),
  ];
  expect(toFigures(polls, 2, undefined)).toEqual({
    seconds: 2,
    requests: 5,
    failures: 2,
    p50Ms: 4,
    p99Ms: 30_000,
    maxMs: 30_000,
    bytesWithoutTag: 100,
    bytesWithTag: 70,
    notModifiedShare: 0.5,
    cpuSeconds: undefined,
  });
});

import { findCutoverProblems } from './cutover-problems';

test.each([
  [{ cutover_not_before: '2026-11-28' }, 'cutover_not_before must be a date and time with its zone'],
  [{ cutover_not_before: '2026-11-28T02:00:00' }, 'cutover_not_before must be a date and time with its zone'],
  [
    { cutover_not_before: '2026-13-28T02:00:00Z' },
    'cutover_not_before must be a date and time with its zone',
  ],
  [{ cutover_windows: [{ from: '02:00', to: '02:00' }] }, 'cutover_windows.0 opens and closes at 02:00'],
  [
    {
      cutover_windows: [
        { from: '02:00', to: '03:00' },
        { from: '02:00', to: '03:00', time_zone: 'Mars/Base' },
      ],
    },
    'cutover_windows.1.time_zone must be a name of the IANA database, like Europe/Berlin, got [Mars/Base]',
  ],
])('%j -> %s', (options, problem) => {
  expect(findCutoverProblems(options)).toEqual([expect.stringContaining(problem)]);
});

test.each([
  undefined,
  { cutover_not_before: '2026-11-28T02:00:00.5+01:00' },
  { cutover_windows: [{ from: '22:00', to: '04:00', time_zone: 'America/New_York' }] },
])('%j is fine', (options) => {
  expect(findCutoverProblems(options)).toEqual([]);
});

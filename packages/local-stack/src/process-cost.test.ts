import { parseCpuSeconds, parsePeakBytes, readProcessCost } from './process-cost';

test('user and system time are added, whatever stands in the name of the process', () => {
  const rest = 'S 1 2 2 0 -1 4194560 100 0 0 0 1234 66 0 0 20 0 11 0 100 1 2';
  expect(parseCpuSeconds(`4711 (node (a) 1 b) ${rest}`)).toBe(13);
});

test('the peak is the high water mark and not the present size', () => {
  expect(parsePeakBytes('VmPeak:\t  900 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\n')).toBe(300 * 1024);
});

test('text of another kind is no measurement', () => {
  expect(parseCpuSeconds('nothing')).toBeUndefined();
  expect(parsePeakBytes('nothing')).toBeUndefined();
});

test('a process that is not there has no cost', async () => {
  await expect(readProcessCost(2 ** 31 - 1)).resolves.toBeUndefined();
});

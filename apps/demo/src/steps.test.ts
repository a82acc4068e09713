import { renderBar } from './step-view';
import { createSteps, describeTimes } from './steps';

const unpacking = { what: 'unpacking', done: 5, total: 10, unit: 'files' } as const;

const clear = '\r\u001b[2K';

function createOutput(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { write, isTTY, columns: 80 } };
}

test('a bar with what is done, and the time', () => {
  expect(renderBar(unpacking, 2_340, true)).toBe(
    `unpacking [${'#'.repeat(15)}${'-'.repeat(15)}]  50%  5 of 10 files  2.3 s`,
  );
  expect(renderBar(unpacking, 23_400, false)).toBe('unpacking  5 of 10 files  23 s');
});

test('of a download of an unknown size there is no bar', () => {
  const download = { what: 'downloading', done: 12_300_000, total: undefined, unit: 'bytes' } as const;
  expect(renderBar(download, 1_000, true)).toBe('downloading  12 MB  1.0 s');
  expect(renderBar({ ...download, total: 0 }, 1_000, true)).not.toContain('[');
});

test('more than there should be is a full bar', () => {
  expect(renderBar({ ...unpacking, done: 11 }, 0, true)).toContain(`[${'#'.repeat(30)}] 100%`);
});

test('on a terminal the bar is drawn over, and goes before the next line', () => {
  const { written, stream } = createOutput(true);
  const steps = createSteps(stream, () => 0);
  steps.begin('servers', 'Starting');
  steps.progress(unpacking);
  steps.progress({ ...unpacking, done: 10 });
  steps.say('next');
  steps.finish();
  expect(written).toEqual([
    'Starting\n',
    `${clear}${renderBar(unpacking, 0, true)}`,
    `${clear}${renderBar({ ...unpacking, done: 10 }, 0, true)}`,
    clear,
    'next\n',
  ]);
});

test('on a pipe there is a line now and then, without control characters', () => {
  const { written, stream } = createOutput(false);
  let time = 0;
  const steps = createSteps(stream, () => time);
  steps.begin('servers', 'Starting');
  for (; time < 11_000; time += 100) steps.progress(unpacking);
  steps.finish();
  expect(written).toEqual([
    'Starting\n',
    'unpacking  5 of 10 files  5.0 s\n',
    'unpacking  5 of 10 files  10 s\n',
  ]);
});

test('the time of each step is shown at the end', () => {
  let time = 0;
  const steps = createSteps(createOutput(false).stream, () => time);
  steps.begin('servers', 'a');
  time += 12_400;
  steps.begin('loading', 'b');
  time += 3_210;
  expect(describeTimes(steps.finish())).toBe('16 s: servers 12, loading 3.2');
});

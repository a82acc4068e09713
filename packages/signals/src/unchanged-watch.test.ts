import { UnchangedWatch } from './unchanged-watch';

function createWatch() {
  const clock = { now: 0 };
  return { clock, watch: new UnchangedWatch(() => clock.now) };
}

test('each thing has its own time, which a change begins again', () => {
  const { clock, watch } = createWatch();
  expect(watch.look('a', 1)).toEqual({ unchangedMs: 0, changes: 0 });
  clock.now = 700;
  expect([watch.look('a', 1).unchangedMs, watch.look('b', 1).unchangedMs]).toEqual([700, 0]);
  expect(watch.look('a', 2)).toEqual({ unchangedMs: 0, changes: 1 });
  clock.now = 900;
  expect(watch.look('a', 2)).toEqual({ unchangedMs: 200, changes: 1 });
});

test('what was forgotten is found for the first time', () => {
  const { clock, watch } = createWatch();
  watch.look('a');
  clock.now = 700;
  watch.forget('a');
  expect(watch.look('a')).toEqual({ unchangedMs: 0, changes: 0 });
});

test('what was not looked at for an hour is forgotten, and nothing else', () => {
  const { clock, watch } = createWatch();
  watch.look('old');
  clock.now = 3_600_000;
  watch.look('a');
  clock.now += 1;
  watch.look('a');
  expect([watch.look('old').unchangedMs, watch.look('a').unchangedMs]).toEqual([0, 1]);
});

import { computedOf, findMainThread, longestOf, parseTrace, totalOf } from './trace';

const task = (tid: number, dur: number) => ({ name: 'ThreadControllerImpl::RunTask', pid: 1, tid, dur });
const named = (tid: number, name: string) => ({ name: 'thread_name', pid: 1, tid, args: { name } });
const trace = (...traceEvents: readonly object[]) => parseTrace(Buffer.from(JSON.stringify({ traceEvents })));

test('tasks of the busiest renderer count, in milliseconds', () => {
  const threads = trace(
    task(1, 2_000),
    named(1, 'CrRendererMain'),
    { ...task(1, 5_000), tdur: 3_000 },
    named(2, 'CrRendererMain'),
    task(2, 1_000),
    { ...task(1, 2_000), name: 'RunTask' },
    named(3, 'Compositor'),
    task(3, 90_000),
    { ...task(1, 0), name: 'Paint', dur: 70_000 },
  );
  const tasks = findMainThread(threads);
  expect([totalOf(tasks), computedOf(tasks), longestOf(tasks)]).toEqual([7, 5, 5]);
});

test('a trace without a renderer, or of another shape, is an error', () => {
  expect(() => findMainThread(trace(task(1, 1)))).toThrow('no main thread');
  expect(() => trace({ name: 1 })).toThrow('unexpected shape');
});

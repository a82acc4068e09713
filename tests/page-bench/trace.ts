import { Type } from '@sinclair/typebox';
import { createParser } from '@aosc/contract';

const parse = createParser(
  'trace',
  Type.Object({
    traceEvents: Type.Array(
      Type.Object({
        name: Type.String(),
        pid: Type.Integer(),
        tid: Type.Integer(),
        dur: Type.Optional(Type.Number({ description: 'microseconds' })),
        tdur: Type.Optional(Type.Number({ description: 'microseconds of the processor' })),
        args: Type.Optional(Type.Object({ name: Type.Optional(Type.Unknown()) })),
      }),
    ),
  }),
);

/** One task of a thread. */
export interface Task {
  readonly ms: number;
  /** what the thread computed: less where others had the processor in between */
  readonly cpuMs: number;
}
interface ThreadEvents {
  readonly isMain: boolean;
  readonly tasks: Task[];
}

/** What a browser traced, by thread. @throws ShapeError */
export function parseTrace(trace: Buffer): readonly ThreadEvents[] {
  const { traceEvents } = parse(JSON.parse(trace.toString('utf8')));
  const threads = new Map<string, ThreadEvents>();
  for (const { name, pid, tid, dur, tdur, args } of traceEvents) {
    const key = `${pid} ${tid}`;
    const before = threads.get(key) ?? { isMain: false, tasks: [] };
    const isMain = before.isMain || (name === 'thread_name' && args?.name === 'CrRendererMain');
    // The other event of that name, without a prefix, is about the same tasks.
    if (name === 'ThreadControllerImpl::RunTask' && dur !== undefined)
      before.tasks.push({ ms: dur / 1000, cpuMs: (tdur ?? dur) / 1000 });
    threads.set(key, { isMain, tasks: before.tasks });
  }
  return [...threads.values()];
}

/** Tasks of the renderer that did most: others belong to pages of the browser's own. */
export function findMainThread(threads: readonly ThreadEvents[]): readonly Task[] {
  const mains = threads.filter(({ isMain }) => isMain).map(({ tasks }) => tasks);
  const [most] = mains.sort((a, b) => totalOf(b) - totalOf(a));
  if (most === undefined || most.length === 0) throw new Error('the trace has no main thread');
  return most;
}

export const totalOf = (tasks: readonly Task[]): number => tasks.reduce((sum, { ms }) => sum + ms, 0);
export const computedOf = (tasks: readonly Task[]): number =>
  tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
export const longestOf = (tasks: readonly Task[]): number =>
  tasks.reduce((most, { ms }) => Math.max(most, ms), 0);

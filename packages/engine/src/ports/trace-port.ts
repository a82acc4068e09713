import type { LogFields } from './log-port';

/** What a part of the work reports in a trace. As in the log, values never hold document contents. */
export interface TracePort {
  /**
   * Runs a part of the work as a span of its own.
   * @param describe adds fields about the result
   */
  inSpan<T>(
    name: string,
    fields: LogFields,
    run: () => Promise<T>,
    describe?: (result: T) => LogFields,
  ): Promise<T>;
}

/** For a process that has no traces: everything just runs. */
export const noTrace: TracePort = { inSpan: (_name, _fields, run) => run() };

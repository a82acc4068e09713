import type { Logger } from '../logger';
import { noTraces, type TracedApp, type Traces, type TracesOptions } from './traces';

/** Opens the traces of a process. It loads the library only when there is a collector. */
export async function openTraces(app: TracedApp, options: TracesOptions, logger: Logger): Promise<Traces> {
  if (options.tracesUrl === '') return noTraces;
  const { openSentTraces } = await import('./open-sent-traces.js');
  return openSentTraces(app, options, logger);
}

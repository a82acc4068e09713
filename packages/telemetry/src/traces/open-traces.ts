import type { Logger } from '../logger';
import { noTraces, type TracedApp, type Traces, type TracesOptions } from './traces';

/** Opens the traces of a process. The library is loaded only when there is somebody to send them to. */
export async function openTraces(app: TracedApp, options: TracesOptions, logger: Logger): Promise<Traces> {
  if (options.tracesUrl === '') return noTraces;
  const { openSentTraces } = await import('./open-sent-traces.js');
  return openSentTraces(app, options, logger);
}

import type { LogPort } from '../../ports/log-port';
import type { Liveness } from './context';

/** Worker processes that take jobs; undefined: Redis does not answer. */
export async function countWorkers(
  { countWorkers: count }: Pick<Liveness, 'countWorkers'>,
  log: Pick<LogPort, 'debug'>,
): Promise<number | undefined> {
  try {
    return await count();
  } catch (error) {
    log.debug('workers_unknown', 'Redis does not say how many workers there are', { reason: String(error) });
    return undefined;
  }
}

import { AoscError } from '@aosc/contract';
import { gather } from '@aosc/signals';

/** Lets requests for the same thing at the same moment share a read. It keeps nothing beyond the read. */
export interface SharedReads<T> {
  /**
   * Never returns the result of a read that had begun before the call: the caller that has just started a migration
   * must see it. So at most one read of each key runs and at most one waits, however many callers ask.
   * @param signal ends this caller's wait; the read ends when its last caller has stopped waiting
   * @throws AoscError unavailable when too many keys are read at once; all that the read throws
   */
  readonly read: (key: string, signal: AbortSignal) => Promise<T>;
}

/**
 * @param options.read bounded in time by itself; ends early when its signal fires
 * @param options.maxKeys keys that are read at once
 */
export function createSharedReads<T>({
  read,
  maxKeys,
}: {
  readonly read: (key: string, signal: AbortSignal) => Promise<T>;
  readonly maxKeys: number;
}): SharedReads<T> {
  const share = gather<string, T>({ maxUnderWay: 1, keyOf: (key) => key }, (asked, signal) => {
    const answer = read(asked[0], signal);
    return asked.map(() => answer);
  });
  const callers = new Map<string, number>();
  return {
    async read(key, signal) {
      if (!callers.has(key) && callers.size >= maxKeys) {
        throw new AoscError('unavailable', `${maxKeys} reads run at once already; try again`);
      }
      callers.set(key, (callers.get(key) ?? 0) + 1);
      try {
        return await share(key, { signal });
      } finally {
        const left = (callers.get(key) ?? 1) - 1;
        if (left === 0) callers.delete(key);
        else callers.set(key, left);
      }
    },
  };
}

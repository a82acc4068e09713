import { isClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';

const pauseMs = 1_000;
/** Longer than what a permitted query costs on large documents: whoever operates the cluster is told. */
const noteworthyMs = 10 * 60_000;
/** So long nothing was to be learnt of it: the search is over, or nobody will be told. */
const unknownMs = 10 * 60_000;
/** The same where nobody may look. */
const unseenMs = 60_000;

/**
 * Resolves when the cluster no longer runs a search. A cancelled one goes on until it looks whether it was, which parts
 * of it never do. One that is seen to run is waited for without an end: if its place became free before that, the same
 * query could take one thread after the other. Never rejects.
 *
 * @param opaqueId of that search alone
 */
export async function untilSearchEnds(
  { cluster, newCall, now, logger }: Pick<ApiDependencies, 'cluster' | 'newCall' | 'now' | 'logger'>,
  opaqueId: string,
): Promise<void> {
  const begun = now();
  let seen = begun;
  let noteAt = begun + noteworthyMs;
  for (;;) {
    try {
      const { running } = await cluster.listSearches(opaqueId, newCall());
      if (running.length === 0) return;
      seen = now();
    } catch (error) {
      const limitMs = isClusterError(error, 'forbidden') ? unseenMs : unknownMs;
      if (now() - seen >= limitMs) {
        logger.warn(
          'a validation query that was given up may still run in the cluster; the next one may begin',
          {
            event: 'query_given_up',
            opaque_id: opaqueId,
            waited_ms: now() - begun,
            error,
          },
        );
        return;
      }
    }
    if (now() >= noteAt) {
      noteAt = now() + noteworthyMs;
      logger.warn(
        'a validation query that was cancelled runs on in the cluster; its credential waits for it',
        {
          event: 'query_runs_on',
          opaque_id: opaqueId,
          waited_ms: now() - begun,
        },
      );
    }
    await pause();
  }
}

/** Keeps no process alive. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
}

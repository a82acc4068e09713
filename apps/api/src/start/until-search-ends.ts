import { isClusterError } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';

const pauseMs = 1_000;
/** Longer than what a permitted query costs on large documents; and there must be an end. */
const longestMs = 10 * 60_000;
/** Where nobody may look, as long as a search may well go on. */
const unseenMs = 60_000;

/**
 * Resolves when the cluster no longer runs a search. A cancelled one goes on until it looks whether it was, which parts
 * of it never do. Never rejects.
 *
 * @param opaqueId of that search alone
 */
export async function untilSearchEnds(
  { cluster, newCall, now, logger }: Pick<ApiDependencies, 'cluster' | 'newCall' | 'now' | 'logger'>,
  opaqueId: string,
): Promise<void> {
  const begun = now();
  let limitMs = longestMs;
  let failure: unknown;
  for (;;) {
    try {
      const { running } = await cluster.listSearches(opaqueId, newCall());
      if (running.length === 0) return;
      failure = undefined;
    } catch (error) {
      failure = error;
      if (isClusterError(error, 'forbidden')) limitMs = unseenMs;
    }
    if (now() - begun >= limitMs) break;
    await pause();
  }
  logger.warn('a validation query that was given up may still run in the cluster; the next one may begin', {
    event: 'query_given_up',
    opaque_id: opaqueId,
    waited_ms: limitMs,
    error: failure,
  });
}

/** Keeps no process alive. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
}

import { link } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Stack, startStack } from '@aosc/local-stack';

/** An OpenSearch node and a Redis that test files use one after the other. */
export interface LentServers {
  readonly openSearchUrl: string;
  readonly redisUrl: string;
  readonly logFiles: readonly string[];
}

declare global {
  /** Set by jest's environment of integration tests, `tests/support/lending-environment.ts`. */
  var lendServers: (() => Promise<LentServers>) | undefined;
}

/**
 * The servers of this jest worker, for a file that only uses them: it stops no server, changes nothing of the whole
 * cluster for longer than a test, and leaves nothing behind. Its processes may die as they like. The stack has no nodes
 * and no Redis to control; its `stop()` leaves the servers running. Where nothing is lent, they are started.
 */
export async function borrowStack(): Promise<Stack> {
  const lent = await globalThis.lendServers?.();
  if (lent === undefined) return startStack();
  const { openSearchUrl, redisUrl, logFiles } = lent;
  const stack = await startStack({ openSearchUrl, redisUrl });
  // What keeps the logs of a failed test keeps those of the servers, too.
  for (const file of logFiles) await link(file, join(stack.logFolder, basename(file)));
  return stack;
}

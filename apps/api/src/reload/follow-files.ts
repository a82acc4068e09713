import type { Logger } from '@aosc/telemetry';

interface FollowedFiles<T> {
  /** what the log calls them */
  readonly what: string;
  /** their content as it was read at first */
  readonly inUse: T;
  /** @throws when one can't be read */
  readonly read: () => T;
  /** takes the content into use. @throws when it can't be used: the old one stays */
  readonly apply: (content: T) => void;
}

/**
 * Takes files into use again when their content has changed. It compares content and not times of change: those may
 * have whole seconds only, and mounted files are swapped.
 * @returns checks them. Never throws: a problem is logged, and only once while it stays the same
 */
export function followFiles<T>({ what, inUse, read, apply }: FollowedFiles<T>, logger: Logger): () => void {
  let current = JSON.stringify(inUse);
  let problem: string | undefined;
  return () => {
    try {
      const content = read();
      const text = JSON.stringify(content);
      if (text !== current) {
        apply(content);
        current = text;
        logger.info(`${what} changed and taken into use`, { event: 'files_reloaded' });
      }
      problem = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason === problem) return;
      problem = reason;
      logger.error(`${what} changed and of no use: what was read before stays in use`, {
        event: 'reload_failed',
        error,
      });
    }
  };
}

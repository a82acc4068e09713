import type { Logger } from '@aosc/telemetry';

export interface FollowedFiles {
  /** what the log calls them */
  readonly what: string;
  /** their texts. @throws when one can't be read */
  readonly read: () => readonly string[];
  /** takes them into use. @throws when they can't be used: the old ones stay */
  readonly apply: (texts: readonly string[]) => void;
}

export interface Follower {
  /** Checks whether they have changed. Never throws: a problem is logged, and only once while it stays the same. */
  check(): void;
}

/**
 * Takes files into use again when their text has changed. It compares texts and not times of change: those may have
 * whole seconds only, and mounted files are swapped.
 * @param inUse the texts that are in use now
 */
export function followFiles(
  { what, read, apply }: FollowedFiles,
  inUse: readonly string[],
  logger: Logger,
): Follower {
  let current = inUse.join('\0');
  let problem: string | undefined;
  return {
    check() {
      try {
        const texts = read();
        const content = texts.join('\0');
        if (content !== current) {
          apply(texts);
          current = content;
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
    },
  };
}

import type { Logger } from '@aosc/telemetry';
import { createTally } from '../limits/tally';
import { createTokenBuckets } from '../limits/token-buckets';

/** Decides which refused logins have a line of their own in the audit log; the others are counted. */
export interface RefusedLogins {
  /** @returns whether it has a line of its own */
  note(client: string): boolean;
  /** Tells what was counted and not told yet. */
  close(): void;
}

/** Of one address: so many lines at once, then one a second. */
const linesAtOnce = 20;
const linesPerSecond = 1;
const tellEveryMs = 60_000;
/** Addresses that are told apart; those beyond are counted together. */
const maxClients = 1_000;
const others = 'others';

/**
 * Bounds what guessing writes: an address may be refused nine times a second, for as long as it likes, and there are
 * many of them.
 */
export function createRefusedLogins(
  audit: Logger,
  now: () => number = () => performance.now(),
): RefusedLogins {
  const lines = createTokenBuckets({
    perSecond: linesPerSecond,
    burst: linesAtOnce,
    maxDebt: 0,
    maxKeys: maxClients,
    now,
  });
  const counted = new Set<string>();
  const tally = createTally<string>(tellEveryMs, (counts) => {
    counted.clear();
    for (const [remoteAddress, count] of Object.entries(counts)) {
      audit.info(`authenticate: refused, ${count} more times`, {
        event: 'audit',
        action: 'authenticate',
        outcome: 'refused',
        status: 401,
        count,
        who: 'unauthenticated',
        remoteAddress,
      });
    }
  });
  return {
    note(client) {
      if (lines.take(client) === 0) return true;
      const name = counted.has(client) || counted.size < maxClients ? client : others;
      counted.add(name);
      tally.note(name);
      return false;
    },
    close: () => tally.close(),
  };
}

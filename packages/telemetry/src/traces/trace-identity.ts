import { createHash } from 'node:crypto';

/** A span by its W3C names: hex digits in lower case. */
export interface SpanIdentity {
  /** 32 digits */
  readonly traceId: string;
  /** 16 digits */
  readonly spanId: string;
}

/**
 * The trace of a migration and its first span. Both follow only from the id: every process knows them, also after a
 * restart, and no record has to hold them. The trace id is the beginning of the id's SHA-256, so `sha256sum` shows it.
 */
export function identifyMigration(migrationId: string): SpanIdentity {
  const digest = hash(migrationId);
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

/**
 * The span of one phase of a migration. Two processes that report the same phase report the same span.
 * @param startMillis when the phase started: a migration may return to a phase
 */
export function identifyPhase(migrationId: string, phase: string, startMillis: number): SpanIdentity {
  const { traceId } = identifyMigration(migrationId);
  return { traceId, spanId: hash(`${migrationId}\n${phase}\n${startMillis}`).slice(0, 16) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

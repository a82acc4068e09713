import type { BulkLimits, BulkReport } from '../bulk-report';

/** A report of one bulk with defaults for everything that the test does not set. */
export function success(limits: Pick<BulkLimits, 'ticket'>, parts: Partial<BulkReport> = {}): BulkReport {
  return {
    documents: 100,
    bytes: 100_000,
    elapsedMs: 100,
    tookMs: 90,
    ticket: limits.ticket,
    ...parts,
    kind: 'success',
  };
}

export function failure(
  limits: Pick<BulkLimits, 'ticket'>,
  kind: 'overload' | 'transient' | 'too_large' | 'fatal' = 'overload',
  parts: Partial<Pick<BulkReport, 'documents' | 'bytes' | 'elapsedMs' | 'tookMs'>> & {
    isOutage?: boolean;
  } = {},
): BulkReport {
  return {
    documents: 100,
    bytes: 100_000,
    elapsedMs: 5,
    tookMs: 1,
    ticket: limits.ticket,
    ...parts,
    kind,
    reason: 'rejected execution',
    attempts: 1,
  };
}

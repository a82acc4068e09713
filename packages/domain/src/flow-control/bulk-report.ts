import type { Along } from './process-bulks';

/** How large a bulk may be now, and how many may be in flight. */
export interface BulkLimits {
  readonly maxDocs: number;
  /** a batch is closed once it has reached this; a single document is sent however large it is */
  readonly maxBytes: number;
  /** what a bulk should have, where `maxBytes` leaves it room to go over; progress shows this figure */
  readonly targetBytes: number;
  readonly concurrency: number;
  /** goes into the report of each bulk sent under these limits */
  readonly ticket: number;
}

interface Measured {
  readonly documents: number;
  /** of the request's body */
  readonly bytes: number;
  /** from sending to the end of the answer, as the client saw it */
  readonly elapsedMs: number;
  /** the server's own `took`; undefined: no answer had one */
  readonly tookMs: number | undefined;
  /** of the limits it was sent under: shows which reports are older than the last change */
  readonly ticket: number;
  /** of all shards of the process, for a success; without it the shard judges only by its own bulks */
  readonly along?: Along;
}

/**
 * What became of one bulk. `overload`: the cluster refused some or all items (429, rejected execution, circuit
 * breaker). `transient`: no outcome, or a failure that may pass. `too_large`: 413. `fatal`: a repetition can't help.
 * The caller sends only the failed items again.
 */
export type BulkReport = Measured &
  (
    | { readonly kind: 'success' }
    | {
        readonly kind: 'overload' | 'transient' | 'too_large' | 'fatal';
        readonly reason: string;
        /** how often these documents were sent */
        readonly attempts: number;
        /** see {@link RefusedRead.isOutage} */
        readonly isOutage?: boolean;
      }
  );

export interface RefusedRead {
  readonly kind: 'refused';
  readonly reason: string;
  /**
   * No node answered, or the cluster has no manager, or other requests hold what the call needs. That is no sign of
   * load and no fault of the shard: it waits, and this does not count as a failure.
   */
  readonly isOutage: boolean;
}

/** What became of a call that can be repeated without harm; `ticket` is that of the limits when it began. */
export type ReadReport = { readonly ticket: number } & ({ readonly kind: 'success' } | RefusedRead);

export type BulkDecision =
  | { readonly action: 'continue' }
  /** send nothing for so long; bulks in flight go on */
  | { readonly action: 'pause'; readonly pauseMs: number }
  | { readonly action: 'fail'; readonly reason: string };

/** Bytes per millisecond as the client saw them; 0 when no time has passed. */
export function throughputOf({ bytes, elapsedMs }: BulkReport): number {
  return bytes > 0 && elapsedMs > 0 ? bytes / elapsedMs : 0;
}

import type { BulkLatency } from '@aosc/contract';
import type { Clock } from '../../ports/clock';

/** Older latencies say nothing about the moment. */
const keptMs = 30_000;
/** Of many small bulks in {@link keptMs} the newest are enough. */
const maxKept = 256;

/** How long the cluster took for the latest bulks of one job, without those that it refused or never answered. */
export class BulkLatencies {
  private recent: { readonly endedMs: number; readonly tookMs: number }[] = [];

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** @param tookMs from sending to the end of the answer, as the worker saw it */
  note(tookMs: number): void {
    this.recent.push({ endedMs: this.clock.monotonic(), tookMs });
    if (this.recent.length > maxKept) this.recent.shift();
  }

  /** @returns undefined: no bulk has ended lately */
  read(): BulkLatency | undefined {
    const since = this.clock.monotonic() - keptMs;
    this.recent = this.recent.filter(({ endedMs }) => endedMs >= since);
    const bulks = this.recent.length;
    if (bulks === 0) return undefined;
    const sorted = this.recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    return {
      meanMs: Math.round(sorted.reduce((sum, tookMs) => sum + tookMs, 0) / bulks),
      p95Ms: Math.round(sorted[Math.ceil(0.95 * bulks) - 1] ?? 0),
      bulks,
    };
  }
}

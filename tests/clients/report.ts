import { say } from '../support/long-test';
import type { Ask, LoopTimes } from './processes';

const goalP99Ms = 1_000;
const served = 200;

/** Says what the good client saw. @returns whether it was served, and in time */
export function reportAsks(scheme: string, asks: readonly Ask[]): boolean {
  const kinds = [...new Set(asks.map(({ kind }) => kind))].sort();
  for (const kind of [undefined, ...kinds]) {
    const chosen = asks.filter((one) => kind === undefined || one.kind === kind);
    const failures = chosen.filter(({ result }) => result !== served);
    const why = [...new Set(failures.map(({ result }) => result))].join(', ');
    say(
      `${scheme}: ${kind ?? 'good client'}: ${chosen.length} requests, ${failures.length} failed` +
        `${why === '' ? '' : ` (${why})`}, p50 ${quantile(chosen, 0.5)} ms, p99 ${quantile(chosen, 0.99)} ms, ` +
        `longest ${quantile(chosen, 1)} ms`,
    );
  }
  return asks.length > 0 && quantile(asks, 0.99) < goalP99Ms && asks.every(({ result }) => result === served);
}

function quantile(asks: readonly Ask[], share: number): number {
  const sorted = asks.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}

/** Says how much of a processor the API's loop had: a loop that waits for its processor serves no request in time. */
export function reportLoop(scheme: string, before: LoopTimes, after: LoopTimes, spanMs: number): void {
  const percent = (ms: number): string => `${Math.round((ms / spanMs) * 100)} %`;
  say(
    `${scheme}: the API's loop ran ${percent(after.ranMs - before.ranMs)} of the time, and waited ` +
      `${percent(after.waitedMs - before.waitedMs)} of it for a processor`,
  );
}

/** Says what the API's own log has counted as dropped so far: its pauses grow. */
export function reportDrops(scheme: string, log: string): void {
  const sums = new Map<string, number>();
  for (const line of log.split('\n')) {
    if (!line.includes('"connections_dropped"')) continue;
    const { reason, number } = JSON.parse(line) as { reason: string; number: number };
    sums.set(reason, (sums.get(reason) ?? 0) + number);
  }
  const told = [...sums].map(([reason, count]) => `${count} ${reason}`).join(', ');
  say(`${scheme}: connections the API has said to drop: ${told === '' ? 'none' : told}`);
}

import { logEvents } from '@aosc/contract';
import type { Figures } from './figures';
import type { Readiness } from './readiness';

/** What every process reports of itself. */
export function createProcessMetrics({ gauge, gaugeBy, counterBy }: Figures) {
  const ready = gauge(
    'aosc_ready',
    'Whether the process can work: 1 or 0; all its checks are asked at each look at these figures',
  );
  const check = gaugeBy(
    'check',
    'aosc_ready_check',
    'The same for each single check: opensearch, redis, installation',
  );
  return {
    /** What `/readyz` would say; undefined: no answer in time. */
    setReadiness(readiness: Readiness | undefined): void {
      ready.set(readiness?.ok === true ? 1 : 0);
      check((readiness?.checks ?? []).map(({ name, ok }) => [name, ok ? 1 : 0]));
    },
    countEvent: counterBy(
      'event',
      'aosc_log_events_total',
      'Log lines by their event, be they written or below the level; the audit log is left out',
      logEvents,
    ),
  };
}

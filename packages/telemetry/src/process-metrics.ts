import { logEvents, type LogEvent } from '@aosc/contract';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Readiness } from './readiness';

/** What every process reports of itself. */
export interface ProcessMetrics {
  /** What `/readyz` would say; undefined: no answer in time. */
  setReadiness(readiness: Readiness | undefined): void;
  countEvent(event: LogEvent): void;
}

export function createProcessMetrics(registers: Registry[]): ProcessMetrics {
  const ready = new Gauge({
    name: 'aosc_ready',
    help: 'Whether the process can work: 1 or 0; all its checks are asked at each look at these figures',
    registers,
  });
  const check = new Gauge({
    name: 'aosc_ready_check',
    help: 'The same for each single check: opensearch, redis, installation',
    labelNames: ['check'],
    registers,
  });
  const events = new Counter({
    name: 'aosc_log_events_total',
    help: 'Log lines by their event, be they written or below the level; the audit log is left out',
    labelNames: ['event'],
    registers,
  });
  // Prometheus only sees an increase from a value that was there before.
  for (const event of logEvents) events.inc({ event }, 0);

  return {
    setReadiness(readiness) {
      ready.set(readiness?.ok === true ? 1 : 0);
      check.reset();
      for (const { name, ok } of readiness?.checks ?? []) check.set({ check: name }, ok ? 1 : 0);
    },
    countEvent: (event) => events.inc({ event }),
  };
}

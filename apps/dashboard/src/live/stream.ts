import type { FleetEvent } from '@aosc/contract';
import { isObject } from '../schema/check-schema';

const path = '/_plugins/_aosc/_events';
const names = ['reset', 'migration', 'gone', 'totals', 'ready', 'trouble'] as const;

export interface StreamListener {
  /** A batch: ends with `ready` or `trouble`. */
  readonly onEvents: (events: readonly FleetEvent[]) => void;
  /** @param isFinal the browser does not try again by itself */
  readonly onBroken: (isFinal: boolean) => void;
}

/** Follows the API's stream of events. @returns ends it */
export function openStream({ onEvents, onBroken }: StreamListener): () => void {
  const source = new EventSource(path);
  let batch: FleetEvent[] = [];
  for (const event of names) {
    source.addEventListener(event, (message: MessageEvent<unknown>) => {
      const read = readEvent(event, message.data);
      if (read === undefined) return;
      batch.push(read);
      if (event !== 'ready' && event !== 'trouble') return;
      const whole = batch;
      batch = [];
      onEvents(whole);
    });
  }
  source.onerror = () => {
    // A batch that was cut off is told again.
    batch = [];
    onBroken(source.readyState === EventSource.CLOSED);
  };
  return () => source.close();
}

/** The API's own tests hold events to their schema; here only what would break the page is looked at. */
export function readEvent(event: FleetEvent['event'], text: unknown): FleetEvent | undefined {
  if (typeof text !== 'string') return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isEvent({ event, data }) ? ({ event, data } as FleetEvent) : undefined;
}

const wanted: Readonly<
  Record<FleetEvent['event'], Readonly<Record<string, 'string' | 'number' | 'object' | 'boolean'>>>
> = {
  reset: {},
  migration: {
    migration_id: 'string',
    source_index: 'string',
    target_index: 'string',
    alias: 'string',
    phase: 'string',
    shards_by_phase: 'object',
    start_time_millis: 'number',
    shard_count: 'number',
    is_terminal: 'boolean',
  },
  gone: { migration_id: 'string' },
  totals: { by_phase: 'object', truncated: 'boolean' },
  ready: { at_millis: 'number' },
  trouble: { reason: 'string' },
};

function isEvent({ event, data }: { readonly event: FleetEvent['event']; readonly data: unknown }): boolean {
  if (!isObject(data)) return false;
  const fields = new Map(Object.entries(data));
  return Object.entries(wanted[event]).every(([name, type]) => typeof fields.get(name) === type);
}

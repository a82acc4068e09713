import { isDeepStrictEqual } from 'node:util';
import { isObject } from './is-object';
import type { ChangingCall } from './place';

type Body = Readonly<Record<string, unknown>>;

/** What the service has written into `.aosc-migrations`, as the proxies have seen it: the phases, and what a write changes. */
export interface RecordMemory {
  /** Names the write of a record by what it changes. */
  name(method: string, id: string, body: Buffer): ChangingCall;
  /** Notes a write that was carried out. */
  note(method: string, id: string, body: Buffer): void;
  /** undefined: no such migration was seen */
  migrationPhase(key: string): string | undefined;
  shardPhase(key: string, shard: number): string | undefined;
  /** of the migration whose record was made last */
  newestKey(): string | undefined;
}

/** They change with every write. */
const noise = new Set(['last_updated_millis', 'seen_state', 'transition_history']);

export function createRecordMemory(): RecordMemory {
  const bodies = new Map<string, Body>();
  let newest: string | undefined;
  const phaseOf = (id: string): string | undefined => {
    const phase = bodies.get(id)?.['phase'];
    return typeof phase === 'string' ? phase : undefined;
  };
  return {
    name(method, id, body) {
      const { kind, key, shard } = parseId(id);
      const call = { via: 'opensearch' as const, key, shard };
      if (kind === 'claim') return { ...call, what: `claim: ${method}` };
      // What is drawn, and nothing decides from: it is left out where it can't be written.
      if (kind === 'timeline') return { ...call, what: 'record of the timeline', isPeriodic: true };
      if (kind === 'other') return { ...call, what: `record: ${id}`, isPeriodic: true };
      if (method !== 'PUT') return { ...call, what: `record of the ${kind}: ${method}` };
      const before = bodies.get(id) ?? {};
      const after = parse(body);
      if (before['phase'] !== after['phase']) {
        return { ...call, what: `record of the ${kind}: to ${String(after['phase'])}` };
      }
      const changed = kind === 'shard' ? describeShard(before, after) : describeChange(before, after);
      return { ...call, what: `record of the ${kind}: ${changed}` };
    },
    note(method, id, body) {
      const { kind, key } = parseId(id);
      if (method === 'DELETE') bodies.delete(id);
      if (method !== 'PUT' || (kind !== 'migration' && kind !== 'shard')) return;
      if (kind === 'migration' && !bodies.has(id)) newest = key;
      bodies.set(id, parse(body));
    },
    migrationPhase: (key) => phaseOf(`m-${key}`),
    shardPhase: (key, shard) => phaseOf(`s-${key}-${shard}`),
    newestKey: () => newest,
  };
}

function parseId(id: string): {
  readonly kind: 'migration' | 'shard' | 'claim' | 'timeline' | 'other';
  readonly key?: string | undefined;
  readonly shard?: number;
} {
  const shard = /^s-([0-9a-f]{20})-(\d+)$/.exec(id);
  if (shard !== null) return { kind: 'shard', key: shard[1], shard: Number(shard[2]) };
  if (id.startsWith('m-')) return { kind: 'migration', key: id.slice(2) };
  if (id.startsWith('t-')) return { kind: 'timeline', key: id.slice(2) };
  return { kind: id.startsWith('c-') ? 'claim' : 'other' };
}

function describeChange(before: Body, after: Body): string {
  const names = changedNames(before, after);
  return names.length === 0 ? 'nothing' : names.join(' ');
}

function changedNames(before: Body, after: Body): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !noise.has(name) && !isDeepStrictEqual(before[name], after[name]))
    .toSorted();
}

/** Counters and positions change with the clock: they are `progress`, unless something that decides changes with them. */
function describeShard(before: Body, after: Body): string {
  const changed = new Set(changedNames(before, after));
  const parts = ['snapshot', 'next_snapshot', 'closing_pit_ids', 'sweep_pending', 'error'].filter((name) =>
    changed.has(name),
  );
  const [old, now] = [writerOf(before), writerOf(after)];
  if (old['epoch'] !== now['epoch']) parts.push('epoch');
  if (old['fence_ready'] !== now['fence_ready']) parts.push('fence_ready');
  if (old['owner'] !== now['owner']) parts.push(now['owner'] === undefined ? 'released' : 'claimed');
  return parts.length === 0 ? 'progress' : parts.join(' ');
}

function writerOf({ writer }: Body): Body {
  return isObject(writer) ? writer : {};
}

function parse(body: Buffer): Body {
  const value: unknown = JSON.parse(body.toString());
  return isObject(value) ? value : {};
}

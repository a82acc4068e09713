import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type MigrationRecord } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { parseShards } from '../support/allocation';
import { guardMs } from './arena';
import type { Arena } from './arena';
import type { Victim } from './fault';
import type { Plan } from './plan';

/** Counts from the return of the servers; the guard of the service may have to ask for the allocation of a copy. */
const allocationMs = 90_000 + guardMs;
const pollMs = 500;

const parseExplanation = createParser(
  'answer of _cluster/allocation/explain',
  Type.Object({
    unassigned_info: Type.Optional(
      Type.Object({
        reason: Type.String(),
        details: Type.Optional(Type.String()),
        failed_allocation_attempts: Type.Optional(Type.Integer()),
        last_allocation_status: Type.Optional(Type.String()),
      }),
    ),
    can_allocate: Type.Optional(Type.String()),
    allocate_explanation: Type.Optional(Type.String()),
  }),
);

/** How many copies of each shard an index is to have. */
export interface Wanted {
  readonly what: 'source' | 'target';
  readonly index: string;
  readonly shards: number;
  /** of each shard, the primary included */
  readonly copies: number;
}

/** One row of `_cat/shards`. */
export interface CopyRow {
  readonly shard: string;
  readonly prirep: string;
  readonly state: string;
}

/** A copy that is not in use. */
export interface MissingCopy {
  readonly shard: number;
  readonly primary: boolean;
}

/** Which copies of an index are not started: each is a copy that the user had before. */
export function findMissing({ shards, copies }: Wanted, rows: readonly CopyRow[]): readonly MissingCopy[] {
  return Array.from({ length: shards }, (_, shard) => shard).flatMap((shard) => {
    // A copy that moves is in use where it is.
    const used = rows.filter(
      (row) => Number(row.shard) === shard && (row.state === 'STARTED' || row.state === 'RELOCATING'),
    );
    const primaries = used.filter(({ prirep }) => prirep === 'p').length;
    const replicas = used.length - primaries;
    return [
      ...(primaries === 0 ? [{ shard, primary: true }] : []),
      ...Array.from({ length: Math.max(0, copies - 1 - replicas) }, () => ({ shard, primary: false })),
    ];
  });
}

/** Which indices must have all their copies when everything is over. */
export function listWanted(
  { source, target }: Pick<Victim, 'source' | 'target'>,
  { fault, sourceShards, targetShards, targetReplicas, ground }: Plan,
  { phase }: Pick<MigrationRecord, 'phase'>,
): readonly Wanted[] {
  if (fault.destroys !== undefined) return [];
  const searching = ground === 'search_replicas' ? 1 : 0;
  const copies = 2 + searching;
  const wanted: Wanted[] = [{ what: 'source', index: source, shards: sourceShards, copies }];
  if (phase === 'COMPLETED') {
    const ofTarget = 1 + targetReplicas + searching;
    wanted.push({ what: 'target', index: target, shards: targetShards, copies: ofTarget });
  }
  return wanted;
}

/**
 * Every copy of the user's source that there was at the start is there again, and every one of a target that took over.
 * Only the service asks the cluster to retry an allocation.
 */
export async function judgeCopies(
  victim: Victim,
  plan: Plan,
  end: MigrationRecord,
): Promise<readonly string[]> {
  const { arena } = victim;
  const deadline = performance.now() + allocationMs;
  const problems: string[] = [];
  for (const wanted of listWanted(victim, plan, end)) {
    let missing = await readMissing(arena, wanted);
    while (missing.length > 0 && performance.now() < deadline) {
      await sleep(pollMs);
      missing = await readMissing(arena, wanted);
    }
    for (const copy of missing) problems.push(await describeMissing(arena, wanted, copy));
  }
  return problems;
}

async function readMissing(arena: Arena, wanted: Wanted): Promise<readonly MissingCopy[]> {
  const path = `/_cat/shards/${wanted.index}?format=json&h=shard,prirep,state,node`;
  return findMissing(wanted, parseShards(await arena.ask('GET', path)));
}

async function describeMissing(
  arena: Arena,
  { what, index }: Wanted,
  { shard, primary }: MissingCopy,
): Promise<string> {
  const body = { index, shard, primary };
  const explanation = parseExplanation(await arena.ask('POST', '/_cluster/allocation/explain', body));
  const { unassigned_info: info, can_allocate: can, allocate_explanation: why } = explanation;
  const reasons = [
    info?.reason,
    info?.failed_allocation_attempts === undefined
      ? undefined
      : `${info.failed_allocation_attempts} failed attempts`,
    info?.last_allocation_status,
    can,
    why,
    info?.details?.slice(0, 300),
  ];
  const text = reasons.filter((reason) => reason !== undefined).join('; ');
  return `${what} copy unassigned: ${index}[${shard}] ${primary ? 'primary' : 'replica'}: ${text}`;
}

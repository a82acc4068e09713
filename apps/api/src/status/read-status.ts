import { createHash } from 'node:crypto';
import { type MigrationRecord, type ShardRecord, StatusSchema, type TimelineRecord } from '@aosc/contract';
import { describeCutover, isTerminalPhase, peakOf, replaceWait, setsAside } from '@aosc/domain';
import { type Call, describeSetAside, isClusterError, type Stored } from '@aosc/engine';
import { findRecordsBlock } from '@aosc/runtime';
import { lastUpdateOf, toStatusDocument } from './status-document';
import { mayTransform, type Principal, shownAliases } from '../auth/principal';
import type { ApiDependencies } from '../dependencies';
import type { Tagged } from '../http/entity-tag';
import { callerOf } from '../start/caller';

/** A running migration writes a record more often than this, unless all of its shards rest. */
const quietMs = 10_000;

/**
 * Why a migration's records no longer change: a block keeps the service from writing them, so they can't say so
 * themselves.
 * @returns what it is and what to do; undefined: no such block is known
 */
export async function findStandstill(
  { findWriteBlocks, now }: Pick<ApiDependencies, 'findWriteBlocks' | 'now'>,
  migration: MigrationRecord,
  shards: readonly ShardRecord[],
  call: Call,
): Promise<string | undefined> {
  if (isTerminalPhase(migration.phase)) return undefined;
  const beats = shards.map(({ writer }) => writer.heartbeatAtMillis);
  const lastMillis = Math.max(migration.lastUpdatedMillis, ...beats);
  // Clocks of other machines may be ahead.
  if (Math.abs(now() - lastMillis) < quietMs) return undefined;
  try {
    const block = await findRecordsBlock(findWriteBlocks, call);
    return block && `${block}; the migration continues then`;
  } catch (error) {
    // A failure of this look does not spoil the status.
    if (isClusterError(error)) return undefined;
    throw error;
  }
}

/** An update of the service may change the shape of a status, and then its tag must change, too. */
const shape = JSON.stringify(StatusSchema);

/** The status as a caller may see it: who may not give a script sees neither the script nor its parameters. */
type StatusFor = (principal: Principal | undefined) => Tagged;

/** The status of a migration. After its end it includes the peak of its timeline. */
export async function readStatus(
  deps: Pick<ApiDependencies, 'store' | 'findWriteBlocks' | 'now'>,
  migration: Stored<MigrationRecord>,
  call: Call,
): Promise<StatusFor> {
  const { store } = deps;
  const { key, phase, sourceShardCount } = migration.record;
  const [shards, timeline] = await Promise.all([
    store.pollShards(key, sourceShardCount, call),
    isTerminalPhase(phase) ? store.readTimeline(key, call) : undefined,
  ]);
  const records = shards.map(({ record }) => record);
  const standstill = await findStandstill(deps, migration.record, records, call);
  const nowMillis = deps.now();
  const shown = {
    ...withStandstill(migration.record, standstill),
    lastUpdatedMillis: lastUpdateOf(migration.record, nowMillis),
  };
  const setAside = setsAside(migration.record)
    ? await describeSetAside(migration.record, records)
    : undefined;
  const cutover = describeCutover(migration.record, nowMillis, records);
  const form = (record: MigrationRecord, name: string): Tagged => {
    let text: string | undefined;
    return {
      etag: tagOf(migration, shards, timeline, JSON.stringify([name, standstill, cutover])),
      text: () =>
        (text ??= JSON.stringify(
          toStatusDocument(record, records, {
            cutover,
            setAside,
            peak: timeline && peakOf(timeline.record),
          }),
        )),
    };
  };
  const forms = new Map<string, Tagged>();
  return (principal) => {
    const left = shown.aliasesLeftBehind && shownAliases(callerOf(principal), shown.aliasesLeftBehind);
    const name = JSON.stringify([mayTransform(principal), left]);
    const hidden = mayTransform(principal) ? shown : hideScript(shown);
    const known = forms.get(name) ?? form({ ...hidden, ...(left && { aliasesLeftBehind: left }) }, name);
    forms.set(name, known);
    return known;
  };
}

function hideScript(record: MigrationRecord): MigrationRecord {
  if (record.transformScript === undefined) return record;
  const { source: _source, params: _params, ...shown } = record.transformScript;
  return { ...record, transformScript: shown };
}

/** The status as the record would show it, if the service could write that. */
function withStandstill(record: MigrationRecord, text: string | undefined): MigrationRecord {
  if (text === undefined) return record;
  return { ...record, waits: replaceWait(record.waits, 'steps', { reason: 'refused', text }) };
}

/**
 * Made of the records' versions, which every write changes, and of what the records can't say. It is weak: the time of
 * the answer in `last_updated_millis` does not change it.
 */
function tagOf(
  migration: Stored<MigrationRecord>,
  shards: readonly Stored<ShardRecord>[],
  timeline: Stored<TimelineRecord> | undefined,
  form: string,
): string {
  const hash = createHash('sha256')
    .update(shape)
    .update(`${migration.record.key} ${versionOf(migration)} ${form}`);
  for (const shard of shards) hash.update(` ${shard.record.shard}:${versionOf(shard)}`);
  if (timeline !== undefined) hash.update(` t:${versionOf(timeline)}`);
  return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

const versionOf = ({ seqNo, primaryTerm }: Stored<unknown>): string => `${seqNo}.${primaryTerm}`;

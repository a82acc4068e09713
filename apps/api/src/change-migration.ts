import {
  type MigrationRecord,
  AoscError,
  type MigrationPhase,
  type CutoverAnswer,
  type CutoverOrder,
  CutoverRequestSchema,
  CutoverStatusSchema,
  toWire,
  validationFailed,
  createBodyReader,
  type RetryAnswer,
  type VerificationAnswer,
  type VerifyRequest,
  VerifyRequestSchema,
} from '@aosc/contract';
import {
  askForRepair,
  isReplayingPhase,
  isTerminalPhase,
  mayMove,
  moveMigration,
  describeCutover,
  holdsWriters,
  isBlockAnnounced,
  certificateOf,
  comparability,
  newVerification,
  setsAside,
} from '@aosc/domain';
import { compareAndSet } from '@aosc/engine';
import type { ApiDependencies } from './dependencies';
import { requireDigest } from './set-aside';
import { wake } from './wake';

/**
 * What a cancel does to a migration.
 * @param who asks for it; undefined: the API asks for no credentials
 * @returns the record to write, or the phase that already leads to the end that was asked for
 * @throws AoscError conflict when it can't be cancelled any more
 */
export function decideCancel(
  record: MigrationRecord,
  nowMillis: number,
  who?: string,
): { readonly write: MigrationRecord } | { readonly already: MigrationPhase } {
  const { phase } = record;
  const refuse = (why: string) =>
    new AoscError('conflict', `Cannot cancel migration for [${record.sourceIndex}] — ${why}`);
  if (isTerminalPhase(phase)) throw refuse(`migration is already in terminal phase: ${phase}`);
  if (record.committed) throw refuse('the alias swap has happened, the migration can only complete');
  // CANCELLING and FAILING lead to the end that was asked for.
  if (!mayMove(record, 'CANCELLING')) return { already: phase };
  if (phase === 'COMPLETING' && record.commitRequested) {
    throw refuse('the alias swap is under way; ask for the status');
  }
  const cancelling = moveMigration(record, 'CANCELLING', nowMillis);
  return { write: who === undefined ? cancelling : { ...cancelling, cancelledBy: who } };
}

/** Asks for the end of a source's migration; schedulers do the rest. @returns its record as it is now */
export async function cancelMigration(
  deps: ApiDependencies,
  source: string,
  who?: string,
): Promise<MigrationRecord> {
  const call = deps.newCall();
  const cancelled = await compareAndSet<MigrationRecord>(async () => {
    const stored = await deps.store.findMigrationBySource(source, call);
    if (stored === undefined) {
      throw new AoscError('not_found', `No active migration found for source index: [${source}]`);
    }
    const decision = decideCancel(stored.record, deps.now(), who);
    // A record that only its primary has may be lost again, and the migration would go on after this answer.
    if ('already' in decision) {
      return { write: () => deps.store.confirmMigration(stored, call).then(({ record }) => record) };
    }
    return {
      write: async () => {
        const { record } = await deps.store.replaceMigration(stored, decision.write, call);
        deps.traces.moved(stored.record, record);
        return record;
      },
    };
  });
  deps.logger.info('cancel requested', {
    event: 'cancel_requested',
    migration: cancelled.migrationId,
    phase: cancelled.phase,
  });
  // Also when the end was under way: the earlier request may have failed before it woke the schedulers.
  await wake(deps, cancelled);
  return cancelled;
}

const readOrder = createBodyReader(CutoverRequestSchema);

export interface CutoverAsked {
  readonly order: CutoverOrder['type'];
  /** digest of the documents that may be left out */
  readonly acceptSetAside?: string;
}

/** @throws AoscError validation_failed */
export function readCutoverRequest(body: unknown): CutoverAsked {
  const { force = false, postpone = false, accept_set_aside: digest } = readOrder(body ?? {});
  if (force && postpone) throw validationFailed(['force and postpone: say one of them']);
  if (digest !== undefined && postpone)
    throw validationFailed(['accept_set_aside and postpone: say one of them']);
  const order = force ? 'forced' : postpone ? 'postponed' : 'approved';
  return { order, ...(digest !== undefined && { acceptSetAside: digest }) };
}

/**
 * What an order does to a migration. Until an attempt announces its write hold or its write block, the scheduler decides
 * by the record that it then replaces, so an order and the begin of the cutover can't cross. While an attempt holds or
 * blocks, an approval or a force is kept for the next one, because this attempt may be undone.
 * @param digest of the documents that may be left out. With an approval it is no order of its own: an order that is there stays
 * @throws AoscError conflict when it comes too late
 */
export function decideOrder(record: MigrationRecord, order: CutoverOrder, digest?: string): MigrationRecord {
  const { phase, sourceIndex, cutoverOrder } = record;
  const refuse = (why: string) =>
    new AoscError('conflict', `Cannot order the cutover of the migration for [${sourceIndex}] — ${why}`);
  if (isTerminalPhase(phase)) throw refuse(`migration is already in terminal phase: ${phase}`);
  if (record.options.rehearse === true) throw refuse('it is a rehearsal, which ends before the cutover');
  if (record.committed) throw refuse('the alias swap has happened, the migration can only complete');
  if (!mayMove(record, 'CANCELLING')) throw refuse(`the migration is given up: ${phase}`);
  // The block of a replaying migration is no attempt's: the target is made of the source's files under it.
  const hasBegun = !isReplayingPhase(phase) && (isBlockAnnounced(record) || holdsWriters(record));
  if (order.type === 'postponed' && hasBegun) {
    throw refuse('the cutover has begun; cancel the migration to keep the alias on the source');
  }
  if (digest === undefined) return { ...record, cutoverOrder: order };
  const { type, ...said } = order;
  const kept = type === 'approved' ? cutoverOrder : undefined;
  return { ...record, cutoverOrder: kept ?? order, setAsideAccepted: { digest, ...said } };
}

/** Writes down when the cutover of a source's migration may begin, and without which documents. @throws AoscError not_found, conflict */
export async function orderCutover(
  deps: ApiDependencies,
  source: string,
  { order: type, acceptSetAside: digest }: CutoverAsked,
  who?: string,
): Promise<Pick<CutoverAnswer, 'phase' | 'cutover'> & Pick<MigrationRecord, 'migrationId'>> {
  const call = deps.newCall();
  const ordered = await compareAndSet<MigrationRecord>(async () => {
    const stored = await deps.store.findMigrationBySource(source, call);
    if (stored === undefined) {
      throw new AoscError('not_found', `No active migration found for source index: [${source}]`);
    }
    const atMillis = orderMillis(stored.record, deps.now());
    const after = decideOrder(
      stored.record,
      { type, atMillis, ...(who !== undefined && { by: who }) },
      digest,
    );
    if (digest !== undefined) await requireDigest(deps.store, stored.record, digest, call);
    return { write: async () => (await deps.store.replaceMigration(stored, after, call)).record };
  });
  const { migrationId, phase, cutoverOrder } = ordered;
  deps.logger.info(`the cutover is ${cutoverOrder?.type ?? type}`, {
    event: 'cutover_ordered',
    migration: migrationId,
    phase,
  });
  await wake(deps, ordered);
  const cutover = describeCutover(ordered, deps.now()) ?? { state: 'converging' };
  return { migrationId, phase, cutover: toWire(CutoverStatusSchema, cutover) };
}

/** An order is newer than the attempts that have gone back before it, whatever the clocks of API and scheduler say. */
export function orderMillis({ putOffs }: Pick<MigrationRecord, 'putOffs'>, nowMillis: number): number {
  return Math.max(nowMillis, (putOffs?.at(-1)?.atMillis ?? 0) + 1);
}

const readAsked = createBodyReader(VerifyRequestSchema);

/**
 * @param body undefined: nothing was sent
 * @throws AoscError parsing_failed, validation_failed
 */
export const readVerifyRequest = (body: unknown): VerifyRequest => readAsked(body ?? {});

/**
 * Begins a verification of the running or the newest migration of a source. Workers do the rest.
 * @throws AoscError not_found, conflict
 */
export async function startVerification(
  deps: ApiDependencies,
  source: string,
  asked: { readonly who?: string | undefined } & VerifyRequest,
): Promise<VerificationAnswer> {
  const call = deps.newCall();
  const found = await deps.store.findMigrationBySource(source, call);
  if (found === undefined) throw new AoscError('not_found', `No migration found for index [${source}]`);
  const { record: migration } = found;
  const refuse = (why: string): never => {
    throw new AoscError('conflict', `Cannot verify the migration of [${source}]: ${why}`);
  };
  const verdict = comparability(migration);
  if (typeof verdict === 'object') refuse(verdict.never);
  const isOver = migration.phase === 'COMPLETED' || migration.transform?.rewritesIdentity === true;
  if (asked.repair === true && isOver)
    refuse(
      'repairs are possible before the swap alone, and not where a script sets ids or routings: of what source a document of the ' +
        'target is can not be told there. Verify without repair',
    );
  const verification = await compareAndSet(async () => {
    const before = await deps.store.readVerification(migration.key, call);
    if (before?.record.phase === 'running') refuse('a verification of it is running; GET _verify shows it');
    const begun = newVerification(migration.key, deps.now(), asked);
    return { write: async () => (await deps.store.replaceVerification(before, begun, call)).record };
  });
  deps.logger.info('verification requested', {
    event: 'verification_requested',
    migration: migration.migrationId,
  });
  try {
    await deps.queueClient.ensureVerifyJob(migration.key);
  } catch (error) {
    deps.logger.warn('the verification is not queued yet; the schedulers find its record', {
      event: 'wake_failed',
      migration: migration.migrationId,
      error,
    });
  }
  return certificateOf(migration, verification);
}

/**
 * Has the shards' own writers write these documents again, in their next look.
 * @throws AoscError not_found, conflict
 */
export async function retrySetAside(
  deps: ApiDependencies,
  source: string,
): Promise<RetryAnswer & Pick<MigrationRecord, 'migrationId'>> {
  const { store } = deps;
  const call = deps.newCall();
  const found = await store.findMigrationBySource(source, call);
  if (found === undefined) throw new AoscError('not_found', `No migration found for index [${source}]`);
  const { record: migration } = found;
  const { key, migrationId, phase, sourceShardCount } = migration;
  if (!setsAside(migration) || !isReplayingPhase(phase)) {
    throw new AoscError(
      'conflict',
      `Cannot retry documents of the migration of [${source}]: ` +
        (setsAside(migration)
          ? `it is in ${phase}, and its last rounds or its end have begun`
          : 'it was started without options.on_document_error set_aside'),
    );
  }
  const shards = await store.readShards(key, sourceShardCount, call);
  let documents = 0;
  for (const { record } of shards) {
    documents += await compareAndSet<number>(async () => {
      const stored = await store.readShard(key, record.shard, call);
      const ids = stored?.record.setAside?.map(({ id }) => id) ?? [];
      if (stored === undefined || ids.length === 0) return { result: 0 };
      return {
        write: async () => {
          await store.replaceShard(stored, askForRepair(stored.record, ids), call);
          return ids.length;
        },
      };
    });
  }
  await wake(deps, migration);
  return { accepted: true, documents, migrationId };
}

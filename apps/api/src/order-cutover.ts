import {
  AoscError,
  type CutoverAnswer,
  type CutoverOrder,
  CutoverRequestSchema,
  CutoverStatusSchema,
  type MigrationRecord,
  toWire,
  validationFailed,
  createBodyReader,
} from '@aosc/contract';
import { describeCutover, holdsWriters, isBlockAnnounced, isTerminalPhase, mayMove } from '@aosc/domain';
import { compareAndSet } from '@aosc/engine';
import type { ApiDependencies } from './dependencies';
import { wake } from './wake';

const readBody = createBodyReader(CutoverRequestSchema);

/** @throws AoscError validation_failed */
export function readCutoverRequest(body: unknown): CutoverOrder['type'] {
  const { force = false, postpone = false } = readBody(body ?? {});
  if (force && postpone) throw validationFailed(['force and postpone: say one of them']);
  return force ? 'forced' : postpone ? 'postponed' : 'approved';
}

/**
 * What an order does to a migration. Until the write hold or the write block is announced the scheduler decides by the record that it then replaces,
 * so an order and the begin of the cutover can't cross.
 * @returns undefined: it has begun, which is what was asked for
 * @throws AoscError conflict when it comes too late
 */
export function decideOrder(record: MigrationRecord, order: CutoverOrder): MigrationRecord | undefined {
  const { phase, sourceIndex } = record;
  const refuse = (why: string) =>
    new AoscError('conflict', `Cannot order the cutover of the migration for [${sourceIndex}] — ${why}`);
  if (isTerminalPhase(phase)) throw refuse(`migration is already in terminal phase: ${phase}`);
  if (record.options.rehearse === true) throw refuse('it is a rehearsal, which ends before the cutover');
  if (record.committed) throw refuse('the alias swap has happened, the migration can only complete');
  if (!mayMove(record, 'CANCELLING')) throw refuse(`the migration is given up: ${phase}`);
  if (!isBlockAnnounced(record) && !holdsWriters(record)) return { ...record, cutoverOrder: order };
  if (order.type !== 'postponed') return undefined;
  throw refuse('the cutover has begun; cancel the migration to keep the alias on the source');
}

/** Writes down when the cutover of a source's migration may begin. @throws AoscError not_found, conflict */
export async function orderCutover(
  deps: ApiDependencies,
  source: string,
  type: CutoverOrder['type'],
  who?: string,
): Promise<Pick<CutoverAnswer, 'phase' | 'cutover'> & Pick<MigrationRecord, 'migrationId'>> {
  const call = deps.newCall();
  const ordered = await compareAndSet<MigrationRecord>(async () => {
    const stored = await deps.store.findMigrationBySource(source, call);
    if (stored === undefined) {
      throw new AoscError('not_found', `No active migration found for source index: [${source}]`);
    }
    const order = { type, atMillis: deps.now(), ...(who !== undefined && { by: who }) };
    const after = decideOrder(stored.record, order);
    if (after === undefined) return { result: stored.record };
    return { write: async () => (await deps.store.replaceMigration(stored, after, call)).record };
  });
  deps.logger.info(`the cutover is ${type}`, {
    event: 'cutover_ordered',
    migration: ordered.migrationId,
    phase: ordered.phase,
  });
  await wake(deps, ordered);
  const cutover = describeCutover(ordered, deps.now()) ?? { state: 'converging' };
  const { migrationId, phase } = ordered;
  return { migrationId, phase, cutover: toWire(CutoverStatusSchema, cutover) };
}

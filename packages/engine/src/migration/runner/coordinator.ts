import { describeEnd, isTerminalPhase, mayMove, type MigrationIn, type PhaseBefore } from '@aosc/domain';
import type { MigrationPhase, MigrationRecord } from '@aosc/contract';
import { type ClusterErrorKind, isClusterError } from '../../ports/cluster-error';
import { unlessConflict } from '../../ports/compare-and-set';
import { type LogFields, withFields } from '../../ports/log-port';
import type { Stored } from '../../ports/store-port';
import { noTrace } from '../../ports/trace-port';
import { cancelling, failing } from '../phases/aborting';
import { active } from '../phases/active';
import { catchingUp } from '../phases/catching-up';
import { findOtherCluster } from './cluster-check';
import { replaceUnlessChanged } from './replace-unless-changed';
import { showTrouble, withoutTrouble } from './show-trouble';
import { completing } from '../phases/completing';
import {
  bindIndices,
  type CoordinatorContext,
  type MigrationView,
  type PhaseStep,
  type StepContext,
  type StepResult,
  type Waiting,
} from '../step/context';
import { cuttingOver } from '../phases/cutting-over';
import { failMigration } from '../step/failure';
import { guard } from '../phases/guard';
import { checkOwners } from './replace-lost-owners';
import { preparingTarget } from '../phases/preparing-target';

const phaseSteps: { readonly [P in MigrationPhase]: PhaseStep<P> } = {
  ACTIVE: active,
  PREPARING_TARGET: preparingTarget,
  CUTTING_OVER: cuttingOver,
  CATCHING_UP: catchingUp,
  COMPLETING: completing,
  COMPLETED: guard,
  CANCELLING: cancelling,
  CANCELLED: guard,
  FAILING: failing,
  FAILED: guard,
};

/** A migration takes far fewer steps than this before it has to wait. */
const maxSteps = 50;

export interface AdvanceOptions {
  /** whether the migration has come as far as the caller wants */
  readonly isDone?: ((record: MigrationRecord) => boolean) | undefined;
  /** the record, if the caller has just read it: this saves a second read */
  readonly known?: Stored<MigrationRecord>;
  /**
   * The shards' records, if the caller has read them at the same time as `known`. Only CATCHING_UP uses them: there the
   * records of migration and shards need not be of one moment.
   */
  readonly knownShards?: MigrationView['shards'] | undefined;
}

/** Errors that may be gone at the next try. */
const passing: readonly ClusterErrorKind[] = ['transient', 'overload', 'conflict', 'aborted'];

/** When to drive the migration next. */
export type AdvanceResult = Omit<Waiting, 'type'>;

/**
 * Drives one migration as far as it goes now: reads the record, takes the phase's step, stores the result by
 * compare-and-set, and repeats until there is something to wait for. Every step decides from the record and from what
 * OpenSearch shows, so a process may die in a step, and another process repeats the step. Once the cluster may hold
 * changes of which only the record knows (`hasBegun`), each step waits until OpenSearch has acknowledged the record. If
 * the record were lost after the step, a later process would take the step's change (a write block, settings) for the
 * user's.
 * @throws ClusterError when the step has to be tried again
 */
export async function advanceMigration(
  context: CoordinatorContext,
  key: string,
  { isDone = () => false, known: given, knownShards: givenShards }: AdvanceOptions = {},
): Promise<AdvanceResult> {
  const { store, signal, clock } = context;
  let known = given;
  // COMPLETING needs shards' records that were read after the migration had come to this phase.
  let knownShards = given?.record.phase === 'CATCHING_UP' ? givenShards : undefined;
  for (let step = 0; step < maxSteps; step++) {
    // A record that this loop has just written needs no read: the compare-and-set has succeeded, so no other change
    // came between.
    const found = known ?? (await store.readMigration(key, { signal }));
    const shardsAhead = knownShards;
    known = undefined;
    // `shardsAhead` belongs to this record only: a newer record may be in a later phase, which needs newer shards.
    knownShards = undefined;
    if (found === undefined || isDone(found.record)) return {};
    const { record } = found;
    // `seenState` is the newest cluster state that earlier steps have seen. From here on the port refuses older states.
    if (record.seenState !== undefined) context.cluster.rememberState(record.seenState);
    if (isTerminalPhase(record.phase) && (record.guardUntilMillis ?? 0) < clock.now()) return {};
    const stored = hasBegun(record)
      ? await unlessConflict(() => store.confirmMigration(found, { signal }))
      : found;
    if (stored === undefined) continue;
    const shards = shardsAhead ?? (await store.readShards(key, record.sourceShardCount, { signal }));
    context.onLook?.(
      record,
      shards.map((shard) => shard.record),
    );
    const { trace = noTrace } = context;
    const outcome = await trace.inSpan(
      `step ${record.phase}`,
      { phase: record.phase },
      () => takeStep(bindIndices(context, record), { stored, record, shards }),
      describeOutcome,
    );
    if (outcome === 'again') continue;
    const result = withoutTrouble(record, outcome);
    if (result.type === 'waiting') {
      const { type: _waits, ...when } = result;
      return when;
    }
    const lastUpdatedMillis = clock.now();
    const seenState = context.cluster.newestState() ?? record.seenState;
    const after = { ...result.record, lastUpdatedMillis, ...(seenState && { seenState }) };
    known = await replaceUnlessChanged(context, stored, after);
    // The API (for a cancel) or another scheduler has changed the record: the loop reads it again.
    if (known === undefined) continue;
    if (servesNextStep(after)) knownShards = result.shards ?? shards;
    if (result.record.phase !== record.phase) {
      context.onMoved?.(record, after);
      sayWhere(context, result.record);
      context.log.info('phase_transition_coordinator', `${record.phase} -> ${result.record.phase}`, {
        phase: result.record.phase,
        fromPhase: record.phase,
        toPhase: result.record.phase,
      });
    }
  }
  return { wakeInMs: 0 };
}

/**
 * Whether the next step may use the shards' records that this step has read. In these phases writers are stopped, and
 * each read would lengthen their wait. If a shard's phase changes later, that change wakes the scheduler, which reads
 * the shards again.
 */
function servesNextStep({ phase, committed }: MigrationRecord): boolean {
  return (phase === 'CATCHING_UP' || phase === 'COMPLETING') && !committed;
}

/**
 * Whether the cluster may hold changes of which only this record knows. Then no step may rely on a record that can be
 * lost.
 */
function hasBegun({ phase, targetOriginals, files }: MigrationRecord): boolean {
  return phase !== 'ACTIVE' || targetOriginals !== undefined || files?.sources !== undefined;
}

function describeOutcome(outcome: StepResult | 'again'): LogFields {
  if (outcome === 'again') return { outcome };
  const nextPhase = outcome.type === 'changed' ? outcome.record.phase : undefined;
  return { outcome: outcome.type, nextPhase };
}

/**
 * Logs a phase, and counts an end. The caller has written the record with that phase: before the write the change has
 * not happened, and may never happen. Only the process whose write has ended the migration counts the end.
 */
function sayWhere({ log, metrics }: CoordinatorContext, record: MigrationRecord): void {
  const { phase, alias } = record;
  if (phase === 'COMPLETED' || phase === 'CANCELLED' || phase === 'FAILED') metrics.migrationEnded(phase);
  if (phase === 'FAILING') log.warn('migration_failing', describeEnd(record) ?? 'unknown', { phase });
  if (phase === 'FAILED') log.info('migration_failed', 'the alias stays on the source', { phase });
  if (phase === 'CANCELLED') log.info('migration_cancelled', 'the alias stays on the source', { phase });
  if (phase === 'COMPLETED') log.info('migration_completed', 'the target serves the alias', { phase, alias });
}

/**
 * Takes the phase's step. If the cluster refuses the step with an error that does not pass (an invalid setting, a
 * missing privilege), the migration fails with that reason. This throws an error that may pass, so that the step is
 * tried again. During an abort and after the swap it throws every error, because there the migration can't fail.
 */
async function takeStep(outer: StepContext, view: MigrationView): Promise<StepResult | 'again'> {
  const { record } = view;
  const context = { ...outer, log: withFields(outer.log, { phase: record.phase }) };
  try {
    if (mayFail(record)) {
      const moved = await findOtherCluster(context, record);
      if (moved !== undefined) return failMigration(context, record, moved);
    }
    const result = (await checkOwners(context, view)) ?? (await stepOf(view.record.phase)(context, view));
    context.troubles?.forget(record.key);
    return result;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isClusterError(error)) throw error;
    const passes = passing.includes(error.kind);
    if (passes || !mayFail(record)) {
      await showTrouble(context, view, error, passes);
      throw error;
    }
    context.log.error('step_failed', `${record.phase} can not go on`, error);
    return failMigration(context, record, error.message);
  }
}

/** Whether the migration can still fail: it is not aborting, and the swap has not happened. */
function mayFail(record: MigrationRecord): record is MigrationIn<PhaseBefore<'FAILING'>> {
  return mayMove(record, 'FAILING') && !record.committed;
}

function stepOf<P extends MigrationPhase>(phase: P): PhaseStep<P> {
  return phaseSteps[phase];
}

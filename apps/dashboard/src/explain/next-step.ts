import type { MigrationStatus } from '@aosc/client';

export interface NextStep {
  /** what happens now, or what the migration has done */
  readonly now: string;
  /** what comes after it, by itself */
  readonly next: string;
  /** what the reader can do; undefined: nothing, or it depends on what the cluster says now */
  readonly act?: string;
}

/**
 * What a migration does or has done, and what will happen next, in the words of docs/reference/phases.md. It says
 * nothing of the cluster's present state: once a migration has ended, other users change that.
 */
export function explainPhase(status: MigrationStatus): NextStep {
  const { phase, alias, source_index: source, target_index: target, meta, options, rehearsal } = status;
  const nothing = 'Nothing more happens unless you do it.';
  switch (phase) {
    case 'ACTIVE':
      return explainActive(status);
    case 'PREPARING_TARGET':
      if (options.rehearse === true)
        return {
          now: 'Every shard has converged. The target gets its own settings back, and every document is verified.',
          next: 'Then the rehearsal ends. No write is blocked, and the alias stays where it is.',
          act: 'You can cancel at any time.',
        };
      return explainPostponed(status) ?? explainPreparing(status);
    case 'CUTTING_OVER':
      return {
        now: `Writes to ${source} are being stopped, so that nothing changes during the last round.`,
        next: 'When no write runs any more, each shard replays what is left. If it takes too long, writes go on, and it is tried again later.',
        act: 'Writes wait or fail for these seconds. You can still cancel.',
      };
    case 'CATCHING_UP':
      return {
        now: `Writes to ${source} wait or are refused. Each shard replays its last operations.`,
        next: 'The counts are compared and the alias moves.',
        act: 'You can still cancel: writes go on then.',
      };
    case 'COMPLETING':
      return meta['alias.swapped'] === 'true'
        ? {
            now: `The alias ${alias} has moved to ${target}. Leftovers are cleaned up.`,
            next: 'It completes.',
          }
        : {
            now: 'The documents are compared before the alias moves.',
            next: `The alias ${alias} moves to ${target} in one step.`,
          };
    case 'COMPLETED':
      return { now: `This migration has moved the alias ${alias} to ${target}.`, next: nothing };
    case 'CANCELLING':
      return {
        now: 'The migration is being undone: workers stop, writes go on, and the target has its own settings again.',
        next: 'It ends as CANCELLED. The alias is not moved.',
      };
    case 'CANCELLED':
      if (rehearsal?.outcome !== undefined)
        return { now: `This migration was rehearsed. The alias ${alias} has not moved.`, next: nothing };
      return { now: 'This migration was cancelled. It has not moved the alias.', next: nothing };
    case 'FAILING':
      return {
        now: 'The migration can not go on. It is being undone, as after a cancel.',
        next: 'It ends as FAILED. The alias is not moved.',
      };
    case 'FAILED':
      return { now: 'This migration has failed. It has not moved the alias.', next: nothing };
  }
}

/** What it waits for may be no matter of settings and copies, and the status says what it is. */
function explainPreparing({ waiting_for: wait }: MigrationStatus): NextStep {
  const act = 'You can cancel at any time.';
  const cutover = 'writes to the source are stopped for a moment and the cutover begins.';
  return wait === undefined
    ? {
        now: 'Every shard has converged. The target gets its own settings back and becomes green.',
        next: `When it is green and every gap is small, ${cutover}`,
        act,
      }
    : {
        now: 'Every shard has converged.',
        next: `When nothing stands in the way and every gap is small, ${cutover}`,
        act,
      };
}

/** @returns undefined: the cutover waits for no person and no time */
function explainPostponed({ cutover }: MigrationStatus): NextStep | undefined {
  if (cutover?.state === 'backing_off') {
    return {
      now: 'A cutover was undone or put off, and the alias has not moved. The shards replay what applications write.',
      next: 'It is tried again after a pause, which becomes longer from attempt to attempt.',
      act: 'You can begin it at once, or cancel.',
    };
  }
  if (cutover?.state !== 'postponed' && cutover?.state !== 'waiting_for_window') return undefined;
  const now = 'The copy is ready. The shards go on replaying what applications write, and the cutover waits.';
  if (cutover.state === 'postponed') {
    return {
      now,
      next: 'When it is approved, writes are stopped for a moment and the alias moves.',
      act: 'Approve the cutover when the moment is good. It can wait for days. You can cancel at any time.',
    };
  }
  return {
    now,
    next: `The cutover begins without you, and waits for ${cutover.waits_for ?? 'a window'}.`,
    act: 'You can begin it at once, postpone it, or cancel.',
  };
}

function explainActive({ shards, progress, waiting_for: wait }: MigrationStatus): NextStep {
  const phases = Object.values(shards).map(({ phase }) => phase);
  const copying = phases.filter((phase) =>
    ['PENDING', 'ACQUIRING_LEASE', 'BACKFILLING'].includes(phase),
  ).length;
  const converging = phases.filter((phase) => phase === 'CONVERGING').length;
  const act = 'Applications go on writing. You can cancel at any time.';
  if (copying === 0 && converging === 0) {
    return { now: 'Every shard has converged.', next: 'The target is prepared for the cutover.', act };
  }
  if (copying === 0) {
    return {
      now: `All documents are copied. ${converging} of ${phases.length} shards replay what was written meanwhile.`,
      next: 'When every gap is below its threshold, the target is prepared for the cutover.',
      act,
    };
  }
  const known =
    progress === undefined ? '' : ` ${progress.shards_known} of ${phases.length} shards have begun.`;
  const waits = wait?.reason === 'worker' || phases.every((phase) => phase === 'PENDING');
  return {
    now: waits
      ? 'No document is copied now.'
      : `Documents are copied while applications go on writing.${known}`,
    next: 'Each shard that is copied replays what was written meanwhile, in rounds, until its gap is small.',
    act,
  };
}

/** What a cancel will do; shown before it happens. */
export function explainCancel({ phase, source_index: source, target_index: target, meta }: MigrationStatus): {
  readonly happens: readonly string[];
  readonly stays: readonly string[];
} {
  const isBlocked = meta['write_block.applied'] === 'true';
  return {
    happens: [
      'Workers stop copying, and the service waits for what they have sent.',
      ...(isBlocked || phase === 'CUTTING_OVER' || phase === 'CATCHING_UP'
        ? [`Writes to ${source} go on.`]
        : []),
      'Snapshots are closed, and the target has its own settings again.',
    ],
    stays: [
      'The alias stays where it is.',
      `${target} stays with the documents it has. A new migration needs an empty one: delete it and create it again.`,
      'The record of this migration, so that you can look at it here.',
    ],
  };
}

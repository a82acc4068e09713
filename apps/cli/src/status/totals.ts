import { isTerminal, type MigrationStatus, type ShardPhase, type ShardStatus } from '@aosc/client';

/** Phases that a shard reaches only after its whole snapshot is copied. It may reach its end from any phase. */
const afterCopy: readonly ShardPhase[] = [
  'CONVERGING',
  'CONVERGED',
  'CATCHING_UP',
  'COMPLETING',
  'COMPLETED',
];

const hasCopied = ({ phase, backfill }: ShardStatus): boolean =>
  afterCopy.includes(phase) || backfill?.status === 'COMPLETED';

export type ShardEntry = readonly [shard: number, status: ShardStatus];

/** The shards by number. */
export function shardsOf({ shards }: MigrationStatus): readonly ShardEntry[] {
  return Object.entries(shards)
    .map(([shard, status]): ShardEntry => [Number(shard), status])
    .sort(([a], [b]) => a - b);
}

export interface Totals {
  /** of the copy, from 0 to 1; undefined: the documents are not counted yet */
  readonly share: number | undefined;
  readonly copied: number;
  /** the known ones; a shard that has not begun counts as the average of the others */
  readonly documents: number | undefined;
  readonly documentsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly remainingSeconds: number | undefined;
  /** operations that finished rounds have brought */
  readonly replayed: number;
  readonly deletes: number;
  /** operations that the target still lacks */
  readonly gap: number;
  readonly retries: number;
  readonly pauses: number;
  /** shards by phase, in the order in which the phases were met */
  readonly phases: ReadonlyMap<string, number>;
}

export function sumUp(status: MigrationStatus): Totals {
  const shards = shardsOf(status).map(([, shard]) => shard);
  const rounds = shards.flatMap(({ replay, convergence, catching_up: last }) => [replay, convergence, last]);
  const counters = [...shards.map(({ backfill }) => backfill), ...rounds];
  const copied = sum(shards, ({ backfill }) => backfill?.documents_indexed);
  const { progress } = status;
  const documents = estimateDocuments(status, shards.length);
  const allCopied = shards.length > 0 && shards.every(hasCopied);
  // A migration that does not run has no rate and no expected end.
  const running = isTerminal(status.phase) ? undefined : progress;
  const phases = new Map<string, number>();
  for (const { phase } of shards) phases.set(phase, (phases.get(phase) ?? 0) + 1);
  return {
    share: allCopied
      ? 1
      : documents === undefined
        ? undefined
        : documents === 0
          ? 0
          : Math.min(1, copied / documents),
    copied,
    documents,
    documentsPerSecond: running?.documents_per_second ?? 0,
    bytesPerSecond: running?.bytes_per_second ?? 0,
    remainingSeconds: running?.remaining_seconds,
    replayed: sum(rounds, (counter) => counter?.operations_applied),
    deletes: sum(rounds, (counter) => counter?.deletes_applied),
    gap: sum(shards, gapOf),
    retries: sum(counters, (counter) => counter?.bulk_retries),
    pauses: sum(shards, ({ flow }) => flow?.pauses),
    phases,
  };
}

/** How much of a shard's copy is done, from 0 to 1; undefined: its documents were not counted, or it has none. */
export function shareOf(shard: ShardStatus): number | undefined {
  if (hasCopied(shard)) return 1;
  const { backfill, progress } = shard;
  if (progress === undefined || progress.total_documents === 0) return undefined;
  return Math.min(1, (backfill?.documents_indexed ?? 0) / progress.total_documents);
}

/** Operations that the shard's copy still lacks; documents of the snapshot don't count. */
export function gapOf({ catching_up: last, convergence, replay }: ShardStatus): number {
  return (last ?? convergence ?? replay)?.current_gap ?? 0;
}

function estimateDocuments({ progress }: MigrationStatus, shards: number): number | undefined {
  if (progress === undefined || progress.shards_known === 0) return undefined;
  return Math.round((progress.total_documents * shards) / progress.shards_known);
}

function sum<T>(list: readonly T[], numberOf: (element: T) => number | undefined): number {
  return list.reduce((total, element) => total + (numberOf(element) ?? 0), 0);
}

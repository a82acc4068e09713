import type { Operation } from './operation';

/** What the writers have done so far. */
export interface WriterStats {
  /** acknowledged operations, of all kinds */
  readonly operations: number;
  readonly inserts: number;
  readonly updates: number;
  readonly deletes: number;
  readonly recreations: number;
  /** documents written again under another routing */
  readonly reroutes: number;
  /** documents that were deleted, and made again under another routing */
  readonly moves: number;
  /** attempts refused by a write block, and tried again */
  readonly blockedRetries: number;
  /** attempts refused for another reason (429, no connection), and tried again */
  readonly otherRetries: number;
  /** attempts of unknown outcome (connection cut, 5xx), and tried again */
  readonly unknownOutcomes: number;
  /** longest time an operation took from its first attempt to its end: the pause a writer saw */
  readonly longestPauseMs: number;
  /** operations that were not acknowledged in the end */
  readonly errors: number;
  /** answers that contradict what was acknowledged before: lost or resurrected documents, lost versions */
  readonly violations: number;
  /** texts of the first violations, then of the first errors */
  readonly problems: readonly string[];
  /** acknowledged operations by the concrete index that took them */
  readonly operationsByIndex: Readonly<Record<string, number>>;
}

const problemLimit = 50;

/** Counts for all writers together. */
export class WriterTally {
  lastReason = 'none';
  private readonly counts = { inserts: 0, updates: 0, deletes: 0, recreations: 0, reroutes: 0, moves: 0 };
  private readonly byIndex = new Map<string, number>();
  private readonly errorTexts: string[] = [];
  private readonly violationTexts: string[] = [];
  private operations = 0;
  private blockedRetries = 0;
  private otherRetries = 0;
  private unknownOutcomes = 0;
  private longestPauseMs = 0;
  private errors = 0;
  private violations = 0;

  countAcknowledged({ purpose }: Operation, index: string | undefined): void {
    const kinds = {
      insert: 'inserts',
      update: 'updates',
      partial: 'updates',
      delete: 'deletes',
      recreate: 'recreations',
      reroute: 'reroutes',
      move: 'moves',
    } as const;
    this.operations += 1;
    this.counts[kinds[purpose]] += 1;
    if (index !== undefined) this.byIndex.set(index, (this.byIndex.get(index) ?? 0) + 1);
  }

  countRetry(blocked: boolean, reason: string): void {
    this.lastReason = reason;
    if (blocked) this.blockedRetries += 1;
    else this.otherRetries += 1;
  }

  countUnknown(reason: string): void {
    this.lastReason = reason;
    this.unknownOutcomes += 1;
  }

  observePause(ms: number): void {
    this.longestPauseMs = Math.max(this.longestPauseMs, ms);
  }

  addError(problem: string): void {
    this.errors += 1;
    keep(this.errorTexts, problem);
  }

  addViolation(problem: string): void {
    this.violations += 1;
    keep(this.violationTexts, `contradiction: ${problem}`);
  }

  stats(): WriterStats {
    const { operations, blockedRetries, otherRetries, unknownOutcomes, errors, violations } = this;
    return {
      operations,
      ...this.counts,
      blockedRetries,
      otherRetries,
      unknownOutcomes,
      longestPauseMs: Math.round(this.longestPauseMs),
      errors,
      violations,
      problems: [...this.violationTexts, ...this.errorTexts],
      operationsByIndex: Object.fromEntries(this.byIndex),
    };
  }
}

/** Each kind has its own room: a thousand refused writes must not hide the one that was lost. */
function keep(texts: string[], problem: string): void {
  if (texts.length < problemLimit) texts.push(problem);
}

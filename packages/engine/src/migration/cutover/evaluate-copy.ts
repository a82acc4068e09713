import type { LaggingCopy } from '../../ports/index-state-port';

/** What the last look before the swap has found. */
export interface CopyObservation {
  /** documents of the validation query; without a query all root documents */
  readonly sourceCount: number;
  readonly targetCount: number;
  readonly tolerance: number;
  /** how many of the counted documents of the source are set aside */
  readonly knownMissing: number;
  /** why the counts of all documents fail; known only if a validation query restricts the other counts */
  readonly missing: string | undefined;
  /** which documents of the final snapshots the target lacks, without regard to the tolerance */
  readonly short: string | undefined;
  /** which documents may have become one in the target */
  readonly explanations: readonly string[];
  /** what `findCutoverHazard` has found */
  readonly hazard: string | undefined;
  /** copies of the target that may not show all of it */
  readonly lagging: readonly LaggingCopy[];
}

export type CopyVerdict =
  | { readonly type: 'swap' }
  /** the counts agree, but copies of the target may not show all of it yet */
  | { readonly type: 'wait' }
  | { readonly type: 'fail'; readonly reason: string };

type Counts = Pick<CopyObservation, 'sourceCount' | 'targetCount' | 'tolerance' | 'knownMissing' | 'short'>;

/** Whether the counts agree within the tolerance, and the target lacks no document of the final snapshots. */
export function haveCountsPassed(observation: Counts): boolean {
  return isWithinTolerance(observation) && observation.short === undefined;
}

/** Any doubt is a reason not to swap: the scheduler then lifts the block, and no document is lost. */
export function evaluateCopy(observation: CopyObservation): CopyVerdict {
  const { missing, hazard, lagging } = observation;
  if (hazard !== undefined) return fail(hazard);
  if (!haveCountsPassed(observation)) return fail(describeCounts(observation));
  if (lagging.length > 0) return { type: 'wait' };
  return missing === undefined ? { type: 'swap' } : fail(missing);
}

const fail = (reason: string): CopyVerdict => ({ type: 'fail', reason });

function isWithinTolerance(counts: Counts): boolean {
  return differenceOf(counts) <= counts.tolerance;
}

function differenceOf({ sourceCount, targetCount, knownMissing }: Counts): number {
  return Math.abs(sourceCount - knownMissing - targetCount);
}

function describeCounts(observation: CopyObservation): string {
  const { sourceCount, targetCount, tolerance, knownMissing, missing, short, explanations } = observation;
  const isShort = short !== undefined || sourceCount - knownMissing > targetCount;
  return [
    (isWithinTolerance(observation) ? missing : undefined) ??
      `Doc count validation failed: source=${sourceCount}, target=${targetCount}, ` +
        `diff=${differenceOf(observation)}, tolerance=${tolerance}` +
        (knownMissing > 0 ? `, set aside=${knownMissing}` : ''),
    ...(short === undefined ? [] : [short]),
    ...(isShort ? explanations : []),
  ].join('; ');
}

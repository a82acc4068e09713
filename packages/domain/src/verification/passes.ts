import { type Difference, ownValue, type VerificationRecord, type VerifiedRange } from '@aosc/contract';
import { withDifferences } from './findings';

/**
 * Begins a pass over what was written since the one before: what was compared before stays verified.
 * @param behind operations that it has to compare, of the shard with the most
 */
export function nextPass(record: VerificationRecord, behind?: number): VerificationRecord {
  const {
    reason: _reason,
    endedAtMillis: _ended,
    digest: _digest,
    contested: _,
    behind: _before,
    ...rest
  } = record;
  return {
    ...rest,
    phase: 'running',
    passes: record.passes + 1,
    ...(behind !== undefined && { behind }),
    unsettled: 0,
    position: { group: 0, part: 0 },
  };
}

/** What the comparison of one part has come to. */
export interface PartResult {
  /** of its group */
  readonly parts: number;
  readonly range: VerifiedRange;
  readonly differences: readonly Difference[];
  /** documents that could not be judged */
  readonly unsettled: number;
  /** documents that two source shards write to in turn: the last rounds of the cutover settle them */
  readonly contested?: number;
  /** documents that differed and do no more */
  readonly repaired?: number;
}

/** Notes a part, and what comes next. A group with documents that could not be judged is compared again by the next pass. */
export function withPart(
  record: VerificationRecord,
  { parts, range, differences, unsettled, contested = 0, repaired = 0 }: PartResult,
): VerificationRecord {
  const { position, ranges } = record;
  const { group, part } = position;
  const before = ranges[group];
  const documents = range.documents + (position.range ?? before ?? { documents: 0 }).documents;
  // No pass comes after that of after the swap: its `unsettled` tells.
  const isProven = unsettled === 0 || record.unprovenAtSwap !== undefined;
  const proven = isProven ? range : lowest(range, before);
  const joined = { ...(position.range === undefined ? proven : lowest(proven, position.range)), documents };
  const isLast = part + 1 >= parts;
  return {
    ...record,
    ...withDifferences(record, differences),
    documentsCompared: record.documentsCompared + range.documents,
    unsettled: record.unsettled + unsettled,
    ...(contested > 0 && { contested: (record.contested ?? 0) + contested }),
    ...(record.repaired !== undefined && { repaired: record.repaired + repaired }),
    ranges: isLast ? ranges.toSpliced(group, 1, joined) : ranges,
    position: isLast ? { group: group + 1, part: 0 } : { group, part: part + 1, parts, range: joined },
  };
}

/** Why a verification can't go on, and what the part that it could not compare wholly has shown. */
export interface VerificationFailure {
  readonly reason: string;
  readonly found: readonly Difference[];
}

/**
 * A pass after the swap only adds to what was proven before the swap. If the pass fails, the verification is done all
 * the same, and its reason says what is not verified.
 */
export function endVerification(
  record: VerificationRecord,
  endedAtMillis: number,
  failure?: VerificationFailure,
): VerificationRecord {
  if (failure === undefined) return { ...record, phase: 'done', endedAtMillis };
  const isLast = record.unprovenAtSwap !== undefined;
  return {
    ...record,
    ...withDifferences(record, failure.found),
    phase: isLast ? 'done' : 'failed',
    reason: `${isLast ? 'what was written last before the swap is not verified: ' : ''}${failure.reason}`,
    endedAtMillis,
  };
}

/** Operations of each source shard that no pass has compared. @param reached its highest number, by shard */
export function unprovenOperations(
  { ranges }: Pick<VerificationRecord, 'ranges'>,
  reached: Readonly<Record<string, number>>,
): readonly number[] {
  const proven = new Map(ranges.flatMap(({ toSeqNo }) => Object.entries(toSeqNo)));
  return Object.entries(reached).map(([shard, maxSeqNo]) =>
    Math.max(0, maxSeqNo - (proven.get(shard) ?? -1)),
  );
}

/** What both have compared. @param other undefined: nothing */
function lowest(one: VerifiedRange, other: VerifiedRange | undefined): VerifiedRange {
  const least = (a: VerifiedRange['toSeqNo'], b: VerifiedRange['toSeqNo'] = {}) =>
    Object.fromEntries(
      Object.entries(a).map(([shard, to]) => [shard, Math.min(to, ownValue(b, shard) ?? -1)]),
    );
  return {
    ...one,
    toSeqNo: least(one.toSeqNo, other?.toSeqNo),
    toTargetSeqNo: least(one.toTargetSeqNo, other?.toTargetSeqNo),
  };
}

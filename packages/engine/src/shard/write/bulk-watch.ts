/** What a caller is told of documents that are in the target now; positions are those in its items. */
export interface BulkWatch {
  /** took the place of another one, for certain */
  readonly onReplaced: (positions: readonly number[]) => void;
  /** may have been written twice: one that replaces another one then may have met itself */
  readonly onDoubt: (positions: readonly number[]) => void;
}

/** For a part of a bulk that begins at this position of the whole. */
export function shiftWatch(watch: BulkWatch, offset: number): BulkWatch {
  const inWhole = (positions: readonly number[]): readonly number[] =>
    positions.map((position) => offset + position);
  return {
    onReplaced: (positions) => watch.onReplaced(inWhole(positions)),
    onDoubt: (positions) => watch.onDoubt(inWhole(positions)),
  };
}

/** A range of `_seq_no`s: `from` included, `to` excluded. */
export interface SeqNoWindow {
  readonly from: number;
  readonly to: number;
}

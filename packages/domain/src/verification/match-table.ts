import { bytesPerPlace, placesFor, type Print, PrintTable } from '../replication/print-table';

/** Where a document stands in the source. */
export interface SourcePosition {
  readonly shard: number;
  readonly seqNo: number;
}

/** A number of a document, with a sign: matched. 0 is free. And its shard. */
const bytesPerPosition = 8 + 2;

/** Bytes that a {@link MatchTable} of so many documents takes. */
export function matchTableBytes(documents: number): number {
  return placesFor(documents) * (bytesPerPlace + bytesPerPosition);
}

/**
 * What documents of the source are expected to look like in the target, as prints, and which of them were met there. Documents
 * are matched by their prints alone, in any order.
 */
export class MatchTable {
  private readonly prints: PrintTable;
  /** `_seq_no` + 1; negative: it was met */
  private readonly numbers: Float64Array;
  private readonly shards: Uint16Array;

  /**
   * @param documents at the most
   * @throws RangeError when there is no memory for so many
   */
  constructor(documents: number) {
    this.prints = new PrintTable(documents);
    this.numbers = new Float64Array(placesFor(documents));
    this.shards = new Uint16Array(placesFor(documents));
  }

  /** @returns false: there are more than were announced, and this one is not among them */
  expect(print: Print, { shard, seqNo }: SourcePosition): boolean {
    const place = this.prints.add(print);
    if (place === undefined) return false;
    this.numbers[place] = seqNo + 1;
    this.shards[place] = shard;
    return true;
  }

  /** The target has this document. @returns whether the source does */
  meet(print: Print): boolean {
    const place = this.prints.find(print);
    if (place === undefined) return false;
    this.numbers[place] = -Math.abs(this.numbers[place] ?? 0);
    return true;
  }

  /** Documents of the source that were not met, in no order. */
  *unmet(): Generator<SourcePosition> {
    for (let place = 0; place < this.numbers.length; place++) {
      const number = this.numbers[place] ?? 0;
      if (number > 0) yield { shard: this.shards[place] ?? 0, seqNo: number - 1 };
    }
  }
}

import { documentKey } from './digest';

/** What the alias must show of one document. */
export type ExpectedState =
  | { readonly present: false }
  | {
      readonly present: true;
      /** undefined: the content was never learnt (a document the writer did not write itself) */
      readonly sourceDigest: string | undefined;
      /** undefined: not known, because an attempt of unknown outcome may have counted it up */
      readonly version: string | undefined;
    };

export interface ModelEntry {
  readonly id: string;
  readonly routing: string | undefined;
  /**
   * States that are right: exactly one, unless the outcome of the last operation stayed unknown (connection
   * cut). Such a document is never written again, so one final read settles which of them it is.
   */
  readonly acceptable: readonly [ExpectedState, ...ExpectedState[]];
  /** an attempt of unknown outcome is part of this document's history */
  readonly uncertain: boolean;
  /** concrete index that acknowledged the last operation; undefined: none did */
  readonly index: string | undefined;
  readonly seqNo: number | undefined;
  readonly primaryTerm: number | undefined;
}

/**
 * What OpenSearch acknowledged, document by document: the last acknowledged operation decides. Each key belongs
 * to one writer, which sends its next operation on it after the acknowledgement of the one before, so "last" is
 * well defined.
 */
export class WriterModel {
  private readonly entries = new Map<string, ModelEntry>();
  /** routings seen for an id; kept for ids with a routing only */
  private readonly routings = new Map<string, string[]>();

  get(id: string, routing: string | undefined): ModelEntry | undefined {
    return this.entries.get(documentKey(id, routing));
  }

  set(entry: ModelEntry): void {
    this.entries.set(documentKey(entry.id, entry.routing), entry);
    if (entry.routing === undefined) return;
    const known = this.routings.get(entry.id);
    if (known === undefined) this.routings.set(entry.id, [entry.routing]);
    else if (!known.includes(entry.routing)) known.push(entry.routing);
  }

  /** Other routings under which this id was written. */
  otherRoutings(id: string, routing: string | undefined): readonly string[] {
    return (this.routings.get(id) ?? []).filter((other) => other !== routing);
  }

  values(): IterableIterator<ModelEntry> {
    return this.entries.values();
  }

  get size(): number {
    return this.entries.size;
  }
}

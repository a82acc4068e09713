/** One document that is not what it must be. */
export interface MismatchSample {
  readonly id: string;
  readonly routing: string | undefined;
  /** what differs, in words: "version 3, expected 4" */
  readonly detail: string;
}

export const mismatchKinds = [
  'missing',
  'extra',
  'differentVersion',
  'differentRouting',
  'differentSource',
] as const;
export type MismatchKind = (typeof mismatchKinds)[number];

interface MismatchList {
  readonly count: number;
  readonly samples: readonly MismatchSample[];
}

export type Mismatches = Readonly<Record<MismatchKind, MismatchList>> & {
  /** documents that are wrong; a document that differs in version and source counts once */
  readonly total: number;
};

/** Counts what is wrong and keeps the first samples of each kind. */
export class MismatchCollector {
  private readonly lists: Record<MismatchKind, { count: number; samples: MismatchSample[] }>;
  private total = 0;

  constructor(private readonly sampleLimit: number) {
    const empty = (): { count: number; samples: MismatchSample[] } => ({ count: 0, samples: [] });
    this.lists = {
      missing: empty(),
      extra: empty(),
      differentVersion: empty(),
      differentRouting: empty(),
      differentSource: empty(),
    };
  }

  /** Reports one wrong document. @param details what is wrong with it; one entry for each kind */
  add(id: string, routing: string | undefined, details: Partial<Record<MismatchKind, string>>): void {
    this.total += 1;
    for (const kind of mismatchKinds) {
      const detail = details[kind];
      if (detail === undefined) continue;
      const list = this.lists[kind];
      list.count += 1;
      if (list.samples.length < this.sampleLimit) list.samples.push({ id, routing, detail });
    }
  }

  /** Counts wrong documents of which nothing else is known. */
  addUnnamed(kind: MismatchKind, count: number): void {
    this.total += count;
    this.lists[kind].count += count;
  }

  result(): Mismatches {
    return { ...this.lists, total: this.total };
  }
}

/** One line for each kind that occurred, with its first samples; empty when all is well. */
export function describeMismatches(mismatches: Mismatches): string[] {
  return mismatchKinds
    .filter((kind) => mismatches[kind].count > 0)
    .map((kind) => {
      const { count, samples } = mismatches[kind];
      const shown = samples
        .slice(0, 3)
        .map(({ id, routing, detail }) => `${id}${routing === undefined ? '' : ` (${routing})`}: ${detail}`);
      return `${kind}: ${count} (${shown.join('; ')})`;
    });
}

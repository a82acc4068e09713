import type { PassedCall } from './counting-proxy';
import { isBlock, isSwap, nameCall, type Names, phaseIn } from './name-call';

/** A request under the block, for the timeline. Milliseconds since the block was asked for. */
export interface BlockedCall {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

type KindCounts = readonly (readonly [name: string, count: number])[];

export interface CallCounts {
  readonly all: number;
  /** by the migration's phase */
  readonly byPhase: Readonly<Record<string, number>>;
  /** the most frequent ones first */
  readonly byKind: KindCounts;
  /** the same for each phase */
  readonly kindsByPhase: Readonly<Record<string, KindCounts>>;
  /** from the request for the block to the answer of the swap */
  readonly underBlock: readonly BlockedCall[];
  /** of those, how many follow each other at the most */
  readonly inARow: number;
  /** from the request for the block to the answer of the swap */
  readonly blockMs: number | undefined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sums the requests of one migration. What the API asks for whoever looks at the status is left out. */
export class Ledger {
  private readonly byPhase = new Map<string, number>();
  private readonly byKind = new Map<string, number>();
  private readonly kindsByPhase = new Map<string, Map<string, number>>();
  private readonly recent: (Span & { readonly name: string })[] = [];
  private phase = 'START';
  private all = 0;
  private blockedFrom: number | undefined;
  private swappedAt: number | undefined;

  constructor(private readonly names: Names) {}

  note({ method, path, opaqueId, body, from, to, status }: PassedCall): void {
    if (opaqueId === 'aosc-api' && this.phase !== 'START') return;
    const name = nameCall(method, path, this.names);
    this.all += 1;
    count(this.byPhase, this.phase);
    count(this.byKind, name);
    const kinds = this.kindsByPhase.get(this.phase) ?? new Map<string, number>();
    this.kindsByPhase.set(this.phase, kinds);
    count(kinds, name);
    if (isBlock(name, body)) this.blockedFrom ??= from;
    // Requests that began before the block may end under it: they are few, and sorted out at the end.
    if (this.phase === 'CUTTING_OVER' || this.blockedFrom !== undefined) {
      if (this.swappedAt === undefined) this.recent.push({ name, from, to });
    }
    if (status >= 300) return;
    if (isSwap(name, body, this.names)) this.swappedAt ??= to;
    this.phase = phaseIn(name, body) ?? this.phase;
  }

  read(): CallCounts {
    const { blockedFrom, swappedAt } = this;
    const underBlock =
      blockedFrom === undefined
        ? []
        : this.recent
            .filter(({ from, to }) => from >= blockedFrom && (swappedAt === undefined || to <= swappedAt))
            .sort((a, b) => a.from - b.from);
    return {
      all: this.all,
      byPhase: Object.fromEntries(this.byPhase),
      byKind: mostFirst(this.byKind),
      kindsByPhase: Object.fromEntries(
        [...this.kindsByPhase].map(([phase, kinds]) => [phase, mostFirst(kinds)]),
      ),
      underBlock: underBlock.map(({ name, from, to }) => ({
        name,
        fromMs: from - (blockedFrom ?? 0),
        toMs: to - (blockedFrom ?? 0),
      })),
      inARow: longestRow(underBlock),
      blockMs: blockedFrom === undefined || swappedAt === undefined ? undefined : swappedAt - blockedFrom,
    };
  }
}

/** How many of the spans follow each other at the most, none beginning before the one before has ended. */
export function longestRow(spans: readonly Span[]): number {
  let row = 0;
  let until = -Infinity;
  for (const { from, to } of [...spans].sort((a, b) => a.to - b.to)) {
    if (from < until) continue;
    row += 1;
    until = to;
  }
  return row;
}

const mostFirst = (counts: ReadonlyMap<string, number>): KindCounts =>
  [...counts].sort((a, b) => b[1] - a[1]);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

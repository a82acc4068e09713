import type { MismatchCollector } from './mismatches';

export interface UnmatchedDocument {
  readonly id: string;
  readonly routing: string | undefined;
}

/** Unmatched documents that are named and paired at most; more of them are counted. */
export const unmatchedLimit = 100_000;

/**
 * Reports documents that only one side has. An `_id` that the source has under one routing and the target under
 * another one is one document with a different routing, not a missing and an extra one.
 */
export function reportUnmatched(
  found: {
    readonly missing: readonly UnmatchedDocument[];
    readonly missingCount: number;
    readonly extra: readonly UnmatchedDocument[];
    readonly extraCount: number;
  },
  mismatches: MismatchCollector,
): void {
  const extraById = new Map<string, UnmatchedDocument[]>();
  for (const document of found.extra) {
    const list = extraById.get(document.id);
    if (list === undefined) extraById.set(document.id, [document]);
    else list.push(document);
  }
  for (const { id, routing } of found.missing) {
    const moved = extraById.get(id)?.pop();
    if (moved === undefined) mismatches.add(id, routing, { missing: 'in the source, not in the target' });
    else {
      const detail = `routing ${describeRouting(moved.routing)}, expected ${describeRouting(routing)}`;
      mismatches.add(id, moved.routing, { differentRouting: detail });
    }
  }
  for (const { id, routing } of [...extraById.values()].flat()) {
    mismatches.add(id, routing, { extra: 'in the target, not in the source' });
  }
  mismatches.addUnnamed('missing', found.missingCount - found.missing.length);
  mismatches.addUnnamed('extra', found.extraCount - found.extra.length);
}

function describeRouting(routing: string | undefined): string {
  return routing === undefined ? 'none' : `"${routing}"`;
}

/**
 * Whether objects and lists lie more than `levels` deep in each other. Without recursion: a body of a megabyte can be
 * half a million levels deep.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = childrenOf(value) === undefined ? [] : [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    const next: unknown[] = [];
    for (const parent of level) {
      for (const child of childrenOf(parent) ?? []) {
        if (childrenOf(child) !== undefined) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

function childrenOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const children: readonly unknown[] = Object.values(value);
  return children;
}

/** Whether one of the patterns matches. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, name));
}

/**
 * Whether an index name matches a pattern in which `*` stands for any text, also none. Everything else in the pattern
 * stands for itself. Walks from left to right and never back beyond the last `*`, so a pattern with many of them costs
 * no more than its length times the name's.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) {
    return false;
  }
  const end = name.length - last.length;
  let from = first.length;
  for (const part of others) {
    const found = name.indexOf(part, from);
    if (found === -1 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

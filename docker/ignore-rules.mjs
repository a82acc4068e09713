/**
 * Whether `.dockerignore` leaves a path out of the build context: the last rule that matches it, or a folder above
 * it, decides. Known here: `*`, `**` and `!`.
 * @param text the file's content
 * @returns a predicate over paths relative to the context
 */
export function readIgnoreRules(text) {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const keeps = line.startsWith('!');
      return { keeps, pattern: toPattern(keeps ? line.slice(1) : line) };
    });
  return (path) => {
    if (path === '') return false;
    let ignored = false;
    for (const { keeps, pattern } of rules) if (pattern.test(path)) ignored = !keeps;
    return ignored;
  };
}

/** A rule matches a path and everything below it. */
function toPattern(rule) {
  const body = rule
    .replace(/[.+^${}()|[\]\\?]/g, '\\$&')
    .replaceAll('**/', '(?:.+/)\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '?');
  return new RegExp(`^${body}(?:/.*)?$`);
}

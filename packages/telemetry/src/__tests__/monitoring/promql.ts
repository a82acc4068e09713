/** Words of PromQL without a bracket; a bracket marks a function. */
const words = new Set([
  'and',
  'or',
  'unless',
  'by',
  'on',
  'without',
  'ignoring',
  'bool',
  'offset',
  'inf',
  'nan',
]);

/** `[5m]`, and lists of labels like `by (queue)`. */
const withoutRanges = (expression: string): string =>
  expression.replace(/\[\w+\]/g, '').replace(/\b(by|on|without|ignoring) ?\([^()]*\)/g, '');

const selector = /\b([a-zA-Z_:][\w:]{0,99})\{([^{}]*)\}/g;

/** Names of the figures in an expression: every name that is no function, word or number. */
export function findMetricNames(expression: string): readonly string[] {
  const bare = withoutRanges(expression.replace(selector, '$1 '));
  const names = [...bare.matchAll(/\b([a-zA-Z_:][\w:]{0,99})(\s{0,3}\()?/g)]
    .filter(([, name = '', bracket]) => bracket === undefined && !words.has(name))
    .map(([, name = '']) => name);
  return [...new Set(names)];
}

/** What an expression asks of labels. */
export function findMatchers(
  expression: string,
): readonly { readonly metric: string; readonly label: string; readonly value: string }[] {
  return [...expression.matchAll(selector)].flatMap(([, metric = '', inner = '']) =>
    [...inner.matchAll(/\b(\w{1,50})(?:=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      metric,
      label,
      value,
    })),
  );
}

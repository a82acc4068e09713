/** Index templates, and settings, that would get in the way of the service. */

export interface Template {
  readonly name: string;
  readonly patterns: readonly string[];
  /** full names */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Settings that change or refuse every write of every client. */
const traps =
  /^(index\.)?(default_pipeline|final_pipeline|blocks\..+|append_only\.enabled|number_of_shards)$/;

/** Whether a pattern of OpenSearch, in which `*` stands for any text, takes a name. */
export function takes(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  const last = rest.at(-1) ?? '';
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

interface Trap {
  readonly template: string;
  readonly pattern: string;
  readonly settings: readonly string[];
}

/** Templates that would give the service's own index a setting that spoils it. */
export function findTraps(templates: readonly Template[], index: string): readonly Trap[] {
  return templates.flatMap(({ name, patterns, settings }) => {
    const pattern = patterns.find((one) => takes(one, index));
    const bad = Object.entries(settings)
      .filter(([key, value]) => traps.test(key) && value !== '_none' && String(value) !== 'false')
      .map(([key]) => key);
    return pattern === undefined || bad.length === 0 ? [] : [{ template: name, pattern, settings: bad }];
  });
}

/** `{a: {b: 1}}` and `{"a.b": 1}` as `{"a.b": 1}`. */
export function flatten(value: unknown, prefix = ''): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return prefix === '' ? {} : { [prefix]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]: [string, unknown]) =>
      flatten(inner, prefix === '' ? key : `${prefix}.${key}`),
    ),
  ) as Readonly<Record<string, unknown>>;
}

import { knownFields, maxSentences } from './describe-problems';

/**
 * A request without most of its unknown fields: a body of a megabyte can have a hundred thousand, and each of them would
 * become a problem with a place and a sentence.
 * @returns the request with the first of them, as many as the answer names, and the number of those left out
 */
export function dropUnknown(body: Readonly<Record<string, unknown>>): {
  readonly few: Record<string, unknown>;
  readonly left: number;
} {
  let seen = 0;
  const keepFew = (value: Readonly<Record<string, unknown>>, container: string) => {
    const known = new Set(knownFields[container]);
    const names = Object.keys(value).filter((name) => {
      // null is the same as nothing
      if (known.has(name) || value[name] === null) return known.has(name);
      seen += 1;
      return seen <= maxSentences;
    });
    return Object.fromEntries(names.map((name) => [name, value[name]]));
  };
  const few = keepFew(body, '');
  for (const name of ['options', 'transform_script']) {
    const inner = few[name];
    if (isObject(inner)) few[name] = keepFew(inner, `/${name}`);
  }
  return { few, left: Math.max(0, seen - maxSentences) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

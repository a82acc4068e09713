import { ownValue } from '@aosc/contract';
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
    const known = new Set(ownValue(knownFields, container));
    const kept = Object.entries(value).filter(([name, each]) => {
      // null is the same as nothing
      if (known.has(name) || each === null) return known.has(name);
      seen += 1;
      return seen <= maxSentences;
    });
    return Object.fromEntries(kept);
  };
  const containers = new Set(['options', 'transform_script']);
  const few = Object.fromEntries(
    Object.entries(keepFew(body, '')).map(([name, inner]) =>
      containers.has(name) && isObject(inner) ? [name, keepFew(inner, `/${name}`)] : [name, inner],
    ),
  );
  return { few, left: Math.max(0, seen - maxSentences) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

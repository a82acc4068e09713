import { ownValue, isObject } from '@aosc/contract';
import { knownFields, maxSentences } from './describe-problems';
import { maxTransientSettings } from './option-problems';

/**
 * A request without most of its unknown fields, and with only as many settings as a refusal needs: a body of a megabyte
 * can have a hundred thousand, and each of them would become a problem with a place and a sentence.
 * @returns the request with the first unknown fields, as many as the answer names, and the number of those left out
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
  const containers = new Set(['options', 'transform_script', 'create_target']);
  const few = Object.fromEntries(
    Object.entries(keepFew(body, '')).map(([name, inner]) =>
      containers.has(name) && isObject(inner) ? [name, keepFew(inner, `/${name}`)] : [name, inner],
    ),
  );
  return { few: withFewSettings(few), left: Math.max(0, seen - maxSentences) };
}

/** One more than allowed, so that the answer says so and does not judge a hundred thousand settings. */
function withFewSettings(request: Record<string, unknown>): Record<string, unknown> {
  const { options } = request;
  if (!isObject(options)) return request;
  const { transient_target_settings: settings } = options;
  if (!isObject(settings)) return request;
  const kept = Object.fromEntries(Object.entries(settings).slice(0, maxTransientSettings + 1));
  return { ...request, options: { ...options, transient_target_settings: kept } };
}

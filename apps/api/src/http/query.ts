import { AoscError, nearestName, shorten } from '@aosc/contract';
import type { Request } from 'express';

/** Parameters every request may have, as in OpenSearch. They change nothing here. */
const common = ['pretty', 'human', 'error_trace'];

/**
 * Reads the query string.
 * @param known parameters of this route; any other is an error, because a mistyped name would otherwise be ignored
 * @returns the text of each given parameter
 * @throws AoscError illegal_argument
 */
export function readQuery<const K extends string>(
  request: Request,
  known: readonly K[],
): Partial<Record<K, string>> {
  const values = new Map<string, string>();
  const text = request.originalUrl.split('?').slice(1).join('?');
  for (const [name, value] of new URLSearchParams(text)) {
    const allowed: readonly string[] = [...known, ...common];
    if (!allowed.includes(name)) {
      const near = nearestName(name, allowed);
      const hint = near === undefined ? '' : ` -> did you mean [${near}]?`;
      throw new AoscError(
        'illegal_argument',
        `request [${shorten(request.path)}] contains unrecognized parameter: [${shorten(name)}]${hint}`,
      );
    }
    values.set(name, value);
  }
  // Only known names are in it.
  return Object.fromEntries(values) as Partial<Record<K, string>>;
}

/** A flag: `true`, `false`, or given without a value, which means true; `otherwise` when it is not given. */
export function readFlag(name: string, text: string | undefined, otherwise = false): boolean {
  if (text === undefined) return otherwise;
  if (text === 'false') return false;
  if (text === 'true' || text === '') return true;
  throw new AoscError(
    'illegal_argument',
    `Failed to parse value [${shorten(text)}] of parameter [${name}] as only [true] or [false] are allowed.`,
  );
}

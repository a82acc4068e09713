import { shorten } from '@aosc/contract';

/**
 * A null in a query that OpenSearch does not expect there can end the node: `{"script": {"script": null}}` is an
 * AssertionError in ScriptQueryBuilder.fromXContent (3.7.0), which the node's handler of uncaught errors takes for
 * its death. No query needs a null, so none gets through.
 * @param query nested at most as deep as bodies may be
 */
export function findQueryProblems(query: unknown): readonly string[] {
  if (query === undefined) return [];
  const path = find(query, (value) => value === null);
  if (path === undefined) return findNumberProblems('validation_query', query);
  return [
    `validation_query must not hold null${at(path)}: some versions of OpenSearch stop working over it; leave it out`,
  ];
}

/**
 * Numbers that reading the request has changed: beyond a double they became infinite (and would be sent on as null),
 * beyond 2^53 they may have become another number.
 * @param name of what is looked at
 */
export function findNumberProblems(name: string, value: unknown): readonly string[] {
  const path = find(value, isChanged);
  if (path === undefined) return [];
  return [
    `${name} holds a number${at(path)} that can't be passed on exactly: integers may have up to 2^53, others 64 bits; ` +
      'write it as a text',
  ];
}

function isChanged(value: unknown): boolean {
  if (typeof value !== 'number') return false;
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function at(path: readonly string[]): string {
  return path.length === 0 ? '' : ` at [${shorten(path.join('.'))}]`;
}

/**
 * The path to the first value that is wanted. It is built on the way back: half a million values below 200 levels would
 * otherwise each copy it, and keep the process busy for seconds.
 */
function find(value: unknown, isWanted: (value: unknown) => boolean): readonly string[] | undefined {
  if (isWanted(value)) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  // The keys of a list as texts would cost more than all the rest.
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, inner] of entries) {
    const rest = find(inner, isWanted);
    if (rest !== undefined) return [String(key), ...rest];
  }
  return undefined;
}

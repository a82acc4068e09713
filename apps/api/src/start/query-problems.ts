import { shorten } from '@aosc/contract';

/**
 * A null in a query that OpenSearch does not expect there can end the node: `{"script": {"script": null}}` is an
 * AssertionError in ScriptQueryBuilder.fromXContent (3.7.0), which the node's handler of uncaught errors takes for
 * its death. No query needs a null, so none gets through.
 * @param query nested at most as deep as bodies may be
 */
export function findQueryProblems(query: unknown): readonly string[] {
  if (query === undefined) return [];
  const path = findNull(query, []);
  if (path === undefined) return [];
  const place = path.length === 0 ? '' : ` at [${shorten(path.join('.'))}]`;
  return [
    `validation_query must not hold null${place}: some versions of OpenSearch stop working over it; leave it out`,
  ];
}

function findNull(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (value === null) return path;
  if (typeof value !== 'object') return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = findNull(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The segment after one of these is an id, even if it is a word of the API. */
const beforeIds = new Set(['_doc', '_create', '_update', '_source', '_scripts']);

/** Segments without an underscore that belong to the API. Any other counts as a user's name. */
const words = new Set([
  'authinfo',
  'data:true',
  'health',
  'indexing',
  'indices',
  'pipeline',
  'point_in_time',
  'reroute',
  'search',
  'segment_replication',
  'settings',
  'state',
  'stats',
  'write',
]);

/**
 * The shape of a request's path, without names and ids: `/orders/_doc/4711` is `/{index}/_doc/{id}`. In doubt a segment
 * counts as a name: a trace must not reveal a document's id.
 */
export function pathTemplate(path: string): string {
  const segments = path.split('/').slice(1);
  const shown = segments.map((segment, at) => {
    if (at === 0 && segment === '') return '';
    const before = segments[at - 1];
    if (before !== undefined && beforeIds.has(before)) return '{id}';
    if (/^_[a-z_]+$/.test(segment)) return segment;
    if (at === 0) return '{index}';
    return words.has(segment) ? segment : '{name}';
  });
  return `/${shown.join('/')}`;
}

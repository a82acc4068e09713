/** (`_id`, `_routing`) as one map key. The same `_id` with another routing is another document. */
export function documentKeyString(document: {
  readonly id: string;
  readonly routing: string | undefined;
}): string {
  return document.routing === undefined
    ? `-${document.id}`
    : `${document.routing.length}:${document.routing}${document.id}`;
}

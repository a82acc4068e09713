import { callJson, callRaw, createTargetIndex, type HttpClient } from '@aosc/testkit';

/** For nodes on which {@link prepareHolding} is to keep every other search waiting. */
export const oneSearchThread = { 'thread_pool.search.size': 1 } as const;

/** The loops of one function may turn a million times, so the time is spent in two. */
const spin = `
  long count(int times) { long sum = 0; for (int i = 0; i < times; ++i) { sum += i } return sum }
  long end = System.nanoTime() + params.nanos;
  while (System.nanoTime() < end) { count(10000) }
  return true`;

/**
 * Searches of a small page are over before anybody has looked at the tasks. Here a slow search of an index of its own
 * keeps the only search thread of a node busy, and all that the node is asked meanwhile waits, as tasks that are seen.
 * @returns holds the thread of every node for a while; resolves when they are free again
 */
export async function prepareHolding(
  http: HttpClient,
  nodes: readonly string[],
): Promise<(millis: number) => Promise<void>> {
  const indices = nodes.map((node) => ({ node, name: `hold-${node}` }));
  for (const { node, name } of indices) {
    const settings = { 'index.routing.allocation.require._name': node };
    await createTargetIndex(http, { name, shards: 1, settings });
    await callRaw(http, { method: 'PUT', path: `/${name}/_doc/1?refresh=true`, body: '{}' });
  }
  return async (millis) => {
    const script = { source: spin, params: { nanos: millis * 1_000_000 } };
    const body = { size: 0, query: { script: { script } } };
    const hold = ({ name }: { readonly name: string }) =>
      callJson(http, () => undefined, 'POST', `/${name}/_search?request_cache=false`, body);
    await Promise.all(indices.map(hold));
  };
}

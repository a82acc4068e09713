import { createHttpClient, createTargetIndex, loadDocuments } from '@aosc/testkit';
import { orders } from '../dataset';
import { search } from '../searches/searcher';

export const busyIndex = 'busy';
const documents = 20_000;

export interface BusyClients {
  /** Ends them. @throws Error when they were not answered: the node was not busy then */
  stop(): Promise<void>;
}

/** Clients that search an index of their own without a pause, so that the node's CPUs have other work. */
export async function startBusyClients(
  urls: readonly string[],
  clients: number,
  signal: AbortSignal,
): Promise<BusyClients> {
  if (clients === 0) return { stop: () => Promise.resolve() };
  const http = createHttpClient(urls);
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  try {
    await createTargetIndex(http, { name: busyIndex, shards: 2, replicas: 0, mappings: orders.mappings });
    await loadDocuments(http, busyIndex, orders.list(documents), signal);
  } catch (error) {
    http.close();
    throw error;
  }
  const searching = search({ http, index: busyIndex, clients, pauseMs: 0, documents, seed: 1, until });
  return {
    async stop() {
      ended.abort();
      const searches = await searching.finally(() => http.close());
      const failed = searches.filter((each) => each.failed).length;
      if (failed > searches.length / 2) throw new Error(`${failed} of ${searches.length} searches failed`);
    },
  };
}

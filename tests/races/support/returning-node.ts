import type { Server } from '@aosc/local-stack';
import type { ClusterPorts } from '@aosc/engine';
import { createClient, createClusterPorts } from '@aosc/opensearch';
import { startHttpFaultProxy } from '@aosc/testkit';

/** A node that was away, asked in the moment of its return. */
export interface ReturningNode {
  /** What they ask is held until it has come to the node's door; then the node goes on, and answers by what it knew. */
  readonly ports: ClusterPorts;
  stop(): Promise<void>;
}

/** @param node may be paused; the first request that comes for it lets it go on */
export async function createReturningNode(node: Server): Promise<ReturningNode> {
  const proxy = await startHttpFaultProxy(node.url);
  proxy.addRule(() => ({
    before: () => {
      node.resume();
      return Promise.resolve('forward');
    },
  }));
  const client = createClient({ nodes: [proxy.url], requestTimeoutMs: 300_000 });
  return {
    ports: createClusterPorts(client),
    async stop() {
      await client.close();
      await proxy.stop();
    },
  };
}

import { Counter, Gauge, type Registry } from 'prom-client';

/** How the process stands with one node of OpenSearch. */
export interface NodeConnections {
  /** host and port */
  readonly node: string;
  readonly isAway: boolean;
  readonly open: number;
  readonly waiting: number;
  readonly renewals: number;
}

export interface NodeMetrics {
  setNodes(nodes: readonly NodeConnections[]): void;
}

export function createNodeGauges(registers: Registry[]): NodeMetrics {
  const labelNames = ['node'];
  const away = new Gauge({
    name: 'aosc_opensearch_node_away',
    help: 'Whether the last request or ping to a node got no answer: 1 or 0',
    labelNames,
    registers,
  });
  const connections = new Gauge({
    name: 'aosc_opensearch_connections',
    help: 'Open connections to a node, idle ones included',
    labelNames,
    registers,
  });
  const waiting = new Gauge({
    name: 'aosc_opensearch_requests_waiting',
    help: 'Requests that wait for a free connection to a node',
    labelNames,
    registers,
  });
  const renewals = new Counter({
    name: 'aosc_opensearch_renewals_total',
    help: 'Times that all connections to a node were given up: it answered on none of them, but on a fresh one',
    labelNames,
    registers,
  });
  return {
    setNodes(nodes) {
      for (const metric of [away, connections, waiting, renewals]) metric.reset();
      for (const each of nodes) {
        const { node } = each;
        away.set({ node }, each.isAway ? 1 : 0);
        connections.set({ node }, each.open);
        waiting.set({ node }, each.waiting);
        renewals.inc({ node }, each.renewals);
      }
    },
  };
}

/** The same for all nodes together, without their addresses: any caller may read it. */
export function sumUpNodes(nodes: readonly NodeConnections[]) {
  const sum = (figure: (node: NodeConnections) => number): number =>
    nodes.reduce((total, node) => total + figure(node), 0);
  return {
    nodes: nodes.length,
    away: sum(({ isAway }) => (isAway ? 1 : 0)),
    connections: sum(({ open }) => open),
    waiting: sum(({ waiting }) => waiting),
    renewals: sum(({ renewals }) => renewals),
  };
}

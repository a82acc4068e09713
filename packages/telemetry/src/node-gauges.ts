import type { NodeConnections } from '@aosc/signals';
import { Counter } from 'prom-client';
import type { Figures } from './figures';

/** @returns takes how the process stands with all nodes */
export function createNodeGauges({ gaugeBy, registers }: Figures) {
  const away = gaugeBy(
    'node',
    'aosc_opensearch_node_away',
    'Whether the last request or ping to a node got no answer: 1 or 0',
  );
  const connections = gaugeBy(
    'node',
    'aosc_opensearch_connections',
    'Open connections to a node, idle ones included',
  );
  const waiting = gaugeBy(
    'node',
    'aosc_opensearch_requests_waiting',
    'Requests that wait for a free connection to a node',
  );
  const renewals = new Counter({
    name: 'aosc_opensearch_renewals_total',
    help: 'Times that all connections to a node were given up: it answered on none of them, but on a fresh one',
    labelNames: ['node'],
    registers,
  });
  return {
    setNodes(nodes: readonly NodeConnections[]): void {
      away(nodes.map(({ node, isAway }) => [node, isAway ? 1 : 0]));
      connections(nodes.map(({ node, open }) => [node, open]));
      waiting(nodes.map((each) => [each.node, each.waiting]));
      renewals.reset();
      for (const each of nodes) renewals.inc({ node: each.node }, each.renewals);
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

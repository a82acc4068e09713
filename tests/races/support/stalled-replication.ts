import { connect, createServer, type Socket } from 'node:net';
import { findFreePorts, waitUntil } from '@aosc/local-stack';
import { timeLimit } from '@aosc/signals';
import { createClient } from '@aosc/opensearch';
import {
  createOpenSearchDocuments,
  createStore,
  gatherRequests,
  type MigrationStore,
  systemIndex,
} from '@aosc/store';
import { homeOfPrimary } from '../../support/allocation';
import { type Cluster, startCluster } from './cluster';

/** A cluster whose records have a primary that dies with writes that its replica never had. */
export interface StalledReplication {
  /** Nothing is asked of the node that dies. */
  readonly cluster: Cluster;
  /** The service's records, by the same node; an answer that does not come is waited for for seconds. */
  readonly hurried: MigrationStore;
  /**
   * The same, asked of the node that dies. What another node has passed on to it, that one repeats on the next
   * primary.
   */
  readonly dying: MigrationStore;
  /** The primary of the records is on the node that is going to die, their replica on the other one. */
  holdRecords(): Promise<void>;
  /**
   * A connection swallows what the primary sends to its replica, and neither of them learns of it. So every reader sees
   * the write of a record, and it is never acknowledged.
   */
  stall(): void;
  /** The primary dies: the other copy is promoted, without what it was never sent. */
  killPrimary(): Promise<void>;
  /** It is a member again, as a replica. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

const call = { signal: timeLimit(3_600_000) };
/** So long is an answer waited for that does not come. */
const patienceMs = 3000;
/** What a primary asks of a replica, as the transport spells it. */
const replicaWrite = 'data/write/bulk[s][r]';

/** The primary of the records goes to `data-a`, the replica to `data-b`. All other indices of the tests belong on `data-b`. */
export async function startStalledReplication(): Promise<StalledReplication> {
  const [port = 0] = await findFreePorts(1);
  const gate = await openGate(port);
  const data = (name: string) => ({ name, roles: ['data', 'ingest'] as const, heapMb: 512 });
  const cluster = await startCluster(
    {
      nodes: [
        { name: 'manager', roles: ['cluster_manager'] as const, heapMb: 320 },
        data('data-a'),
        { ...data('data-b'), settings: { 'transport.port': port, 'transport.publish_port': gate.port } },
      ],
    },
    1,
  );
  const [, node] = cluster.nodes;
  if (node === undefined) throw new Error('the cluster has no second node');
  const clients = [cluster.urls, [node.url]].map((nodes) =>
    createClient({ nodes, requestTimeoutMs: patienceMs }),
  );
  const [hurried, dying] = clients.map((client) =>
    createStore(gatherRequests(createOpenSearchDocuments(client), patienceMs), () => Date.now()),
  );
  if (hurried === undefined || dying === undefined) throw new Error('there are two');
  const waitFor = (what: string, isMet: () => Promise<boolean>): Promise<void> =>
    waitUntil(isMet, { what, timeoutMs: 120_000, endedBy: [] });
  const untilMembers = (count: number): Promise<void> =>
    waitFor(`${count} nodes in the cluster`, async () => {
      const { members } = await cluster.ports.readView(undefined, call);
      return members.length === count;
    });
  const untilGreen = (): Promise<void> =>
    waitFor(`${systemIndex} to be green`, async () => {
      return (await cluster.text('GET', `/_cat/indices/${systemIndex}?h=health`)).trim() === 'green';
    });
  const untilPrimaryOn = (name: string): Promise<void> =>
    waitFor(`the primary of the records on ${name}`, async () => {
      return (await homeOfPrimary(cluster.http, systemIndex, 0)) === name;
    });
  const put = (settings: object): Promise<unknown> =>
    cluster.send('PUT', `/${systemIndex}/_settings`, settings);

  return {
    cluster,
    hurried,
    dying,
    async holdRecords() {
      await put({
        'index.auto_expand_replicas': false,
        'index.number_of_replicas': 0,
        'index.routing.allocation.require._name': 'data-a',
      });
      await untilPrimaryOn('data-a');
      await put({ 'index.routing.allocation.require._name': null, 'index.number_of_replicas': 1 });
      await untilGreen();
    },
    stall() {
      gate.swallow(replicaWrite);
    },
    async killPrimary() {
      await node.kill();
      await untilMembers(2);
      await untilPrimaryOn('data-b');
      gate.open();
    },
    async heal() {
      gate.open();
      if (!node.isRunning()) await node.restart();
      await untilMembers(3);
      await untilGreen();
    },
    async stop() {
      gate.stop();
      for (const client of clients) await client.close();
      await cluster.stop();
    },
  };
}

/** Passes connections on to a port of this machine. */
async function openGate(to: number) {
  const sockets = new Set<Socket>();
  let swallowed: string | undefined;
  const stalled: Socket[] = [];
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((caller) => {
    const upstream = connect({ host: '127.0.0.1', port: to, noDelay: true });
    caller.setNoDelay(true);
    keep(caller);
    keep(upstream);
    let isStalled = false;
    caller.on('data', (bytes) => {
      if (!isStalled && swallowed !== undefined && bytes.includes(swallowed, 0, 'latin1')) {
        isStalled = true;
        stalled.push(caller);
      }
      if (!isStalled) upstream.write(bytes);
    });
    upstream.on('data', (bytes) => caller.write(bytes));
    caller.once('close', () => upstream.destroy());
    upstream.once('close', () => caller.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    port: address.port,
    /** From the next piece with this text on, its connection swallows all that comes through it. */
    swallow(text: string): void {
      swallowed = text;
    },
    open(): void {
      swallowed = undefined;
      for (const socket of stalled.splice(0)) socket.destroy();
    },
    stop(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

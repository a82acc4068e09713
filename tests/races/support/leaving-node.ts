import { type Server, waitUntil } from '@aosc/local-stack';
import { timeLimit } from '@aosc/signals';
import { systemIndex } from '@aosc/store';
import { homeOfPrimary } from '../../support/allocation';
import { type Cluster, startCluster } from './cluster';
import { once } from './faults';
import type { Harness } from './harness';
import { createPair, type PairOptions, someDocuments } from './pairs';

/** A cluster with a data node that is paused, removed, and let go on. Only the test asks that node for anything. */
export interface LeavingNode {
  readonly cluster: Cluster;
  /** `data-a` */
  readonly away: Server;
  waitFor(what: string, isMet: () => Promise<boolean>): Promise<void>;
  untilMembers(count: number): Promise<void>;
  untilGreen(...indices: readonly string[]): Promise<void>;
  /** The primaries of the side are on the node that will be away, and their replicas on the other one. */
  startPair(
    side: 'source' | 'target',
    settings?: PairOptions['sourceSettings'],
    options?: Partial<PairOptions>,
  ): Promise<Harness>;
  /** The node is paused and removed, and the other one has the primary. */
  sendAway(index: string): Promise<void>;
  /**
   * The copy of a shard whose first bulk finds the node paused. The cluster removes the node, and repeats the bulk on the
   * next primary, which answers; the node still has it in its buffers.
   */
  copyThroughStall(harness: Harness, shard: number): Promise<void>;
  /** The node goes on, and is a member again. */
  comeBack(): Promise<void>;
}

const call = { signal: timeLimit(3_600_000) };
const onlyOn = (name: string) => ({ 'index.routing.allocation.require._name': name });
const everywhere = { 'index.routing.allocation.require._name': null };

export async function startLeavingNode(): Promise<LeavingNode> {
  const data = (name: string) => ({ name, roles: ['data', 'ingest'] as const, heapMb: 512 });
  const options = {
    nodes: [
      { name: 'manager', roles: ['cluster_manager'] as const, heapMb: 320 },
      data('data-a'),
      data('data-b'),
    ],
    openSearchSettings: {
      'cluster.fault_detection.follower_check.timeout': '3s',
      'cluster.fault_detection.follower_check.interval': '500ms',
      'cluster.fault_detection.follower_check.retry_count': 1,
    },
  };
  const cluster = await startCluster(options, 1);
  const [, away] = cluster.nodes;
  if (away === undefined) throw new Error('the cluster has no second node');

  const waitFor: LeavingNode['waitFor'] = (what, isMet) =>
    waitUntil(isMet, { what, timeoutMs: 120_000, endedBy: [] });
  const untilMembers = (count: number): Promise<void> =>
    waitFor(`${count} nodes in the cluster`, async () => {
      const { members } = await cluster.ports.readView(undefined, call);
      return members.length === count;
    });
  const untilGreen: LeavingNode['untilGreen'] = async (...indices) => {
    for (const index of indices) {
      await waitFor(`${index} to be green`, async () => {
        return (await cluster.text('GET', `/_cat/indices/${index}?h=health`)).trim() === 'green';
      });
    }
  };

  return {
    cluster,
    away,
    waitFor,
    untilMembers,
    untilGreen,
    async startPair(side, own = {}, pair = {}) {
      const home = (of: typeof side) => onlyOn(of === side ? 'data-a' : 'data-b');
      const harness = await createPair(cluster, {
        shards: [1, 1],
        documents: someDocuments(200),
        sourceSettings: { ...home('source'), ...(side === 'source' && own) },
        targetSettings: { ...home('target'), ...(side === 'target' && own) },
        ...pair,
      });
      const records = {
        ...onlyOn('data-b'),
        'index.auto_expand_replicas': false,
        'index.number_of_replicas': 0,
      };
      await cluster.send('PUT', `/${systemIndex}/_settings`, records);
      await untilGreen(systemIndex, harness.source, ...(pair.byFiles ? [] : [harness.target]));
      const copies = { ...everywhere, 'index.number_of_replicas': 1 };
      await cluster.send('PUT', `/${harness[side]}/_settings`, copies);
      await untilGreen(harness[side]);
      return harness;
    },
    async sendAway(index) {
      away.pause();
      await untilMembers(2);
      await waitFor('the replica to be promoted', async () => {
        return (await homeOfPrimary(cluster.http, index, 0)) === 'data-b';
      });
    },
    async copyThroughStall(harness, shard) {
      const outcomes: string[] = [];
      const stall = once(() => {
        away.pause();
        return Promise.resolve();
      });
      await harness.job('backfill', shard, {
        faults: {
          target: {
            writes: (real) => ({
              async bulk(...given) {
                await stall();
                const outcome = await real.bulk(...given);
                outcomes.push(outcome.type);
                return outcome;
              },
            }),
          },
        },
      });
      expect(outcomes).toContain('answered');
      expect(await harness.shard(shard)).toMatchObject({ phase: 'CONVERGING' });
      await untilMembers(2);
    },
    async comeBack() {
      away.resume();
      await untilMembers(3);
    },
  };
}

import { ClusterError, type IndexStatePort, type SnapshotPort } from '@aosc/engine';
import { examplePrimary, exampleRouting } from '@aosc/testkit';
import type { ApiDependencies } from '../dependencies';
import { checkDistribution, checkSnapshots } from './check-capabilities';

const call = { signal: new AbortController().signal };
const context = {
  source: { index: 's' },
  sourceRouting: exampleRouting([examplePrimary(0)]),
  call,
} as unknown as Parameters<typeof checkSnapshots>[1];

describe('the distribution', () => {
  const ask = (error: Error) =>
    checkDistribution(
      { cluster: { uuid: () => Promise.reject(error) } as unknown as ApiDependencies['cluster'] },
      call,
    );

  test('another one is refused with the reason', async () => {
    await expect(ask(new ClusterError('invalid', 'the cluster is not OpenSearch'))).rejects.toMatchObject({
      code: 'precondition_failed',
      message: 'This cluster is not supported: the cluster is not OpenSearch',
    });
  });

  test('a cluster that does not answer is no unsupported one', async () => {
    const error = new ClusterError('transient', 'no answer');
    await expect(ask(error)).rejects.toBe(error);
  });
});

describe('a trial of a snapshot', () => {
  type Faults = Partial<SnapshotPort> & Partial<Pick<IndexStatePort, 'readRouting'>>;

  function createCluster({ readRouting, ...faults }: Faults) {
    const open = new Set<string>();
    const snapshots: Partial<SnapshotPort> = {
      refreshCopy: () => Promise.resolve(),
      open: () => {
        open.add('p');
        return Promise.resolve('p');
      },
      measure: () => Promise.resolve({ documentCount: 0, maxSeqNo: -1 }),
      readHeads: () => Promise.resolve({ documents: [], next: undefined, bytes: 0 }),
      histogram: () => Promise.resolve(new Map()),
      extend: () => Promise.resolve(),
      close: (ids) => {
        for (const id of ids) open.delete(id);
        return Promise.resolve([]);
      },
      ...faults,
    };
    const state = { readRouting: readRouting ?? (() => Promise.reject(new Error('not asked'))) };
    const cluster: unknown = { index: () => ({ state, snapshots }) };
    return { cluster: cluster as ApiDependencies['cluster'], open };
  }

  test('leaves nothing open', async () => {
    const { cluster, open } = createCluster({});
    await checkSnapshots({ cluster, snapshotKeepAliveMs: 300_000 }, context);
    expect(open.size).toBe(0);
  });

  test.each<keyof SnapshotPort>(['refreshCopy', 'open', 'measure', 'readHeads', 'histogram', 'extend'])(
    'a cluster that does not know %s is refused with what it said, and nothing stays open',
    async (name) => {
      const refuse = () => Promise.reject(new ClusterError('invalid', 'answered 400 no such handler'));
      const { cluster, open } = createCluster({ [name]: refuse });
      await expect(checkSnapshots({ cluster, snapshotKeepAliveMs: 300_000 }, context)).rejects.toMatchObject({
        code: 'precondition_failed',
        message: expect.stringContaining('answered 400 no such handler') as unknown,
      });
      expect(open.size).toBe(0);
    },
  );

  test('a primary that moves at this moment is no reason to call the cluster unsupported', async () => {
    const error = new ClusterError('transient', 'no shard available');
    let tries = 0;
    const { cluster } = createCluster({
      readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0, { nodeId: 'other' })])),
      open: ({ nodeId }) => {
        tries += 1;
        return nodeId === 'other' ? Promise.resolve('p') : Promise.reject(error);
      },
    });
    await checkSnapshots({ cluster, snapshotKeepAliveMs: 300_000 }, context);
    expect(tries).toBe(2);
  });

  test('one that goes on moving is told as what it is', async () => {
    const error = new ClusterError('transient', 'no shard available');
    const { cluster } = createCluster({
      readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0)])),
      open: () => Promise.reject(error),
    });
    await expect(checkSnapshots({ cluster, snapshotKeepAliveMs: 300_000 }, context)).rejects.toBe(error);
  });
});

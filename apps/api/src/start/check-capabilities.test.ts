import { ClusterError } from '@aosc/engine';
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
      { admin: { clusterUuid: () => Promise.reject(error) } as unknown as ApiDependencies['admin'] },
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
  type Source = ApiDependencies['source'];

  function createSource(faults: Partial<Source>): { source: Source; open: Set<string> } {
    const open = new Set<string>();
    const source: Source = {
      readRouting: () => Promise.reject(new Error('not asked')),
      refreshCopy: () => Promise.resolve(),
      openSnapshot: () => {
        open.add('p');
        return Promise.resolve('p');
      },
      measureSnapshot: () => Promise.resolve({ documentCount: 0, maxSeqNo: -1 }),
      readHeads: () => Promise.resolve({ documents: [], next: undefined, bytes: 0, tookMs: 0 }),
      getDocuments: () => Promise.resolve([]),
      histogram: () => Promise.resolve(new Map()),
      closeSnapshots: (ids) => {
        for (const id of ids) open.delete(id);
        return Promise.resolve([]);
      },
      ...faults,
    };
    return { source, open };
  }

  test('leaves nothing open', async () => {
    const { source, open } = createSource({});
    await checkSnapshots({ source }, context);
    expect(open.size).toBe(0);
  });

  test.each<keyof Source>(['refreshCopy', 'openSnapshot', 'measureSnapshot', 'readHeads', 'histogram'])(
    'a cluster that does not know %s is refused with what it said, and nothing stays open',
    async (name) => {
      const refuse = () => Promise.reject(new ClusterError('invalid', 'answered 400 no such handler'));
      const { source, open } = createSource({ [name]: refuse });
      await expect(checkSnapshots({ source }, context)).rejects.toMatchObject({
        code: 'precondition_failed',
        message: expect.stringContaining('answered 400 no such handler') as unknown,
      });
      expect(open.size).toBe(0);
    },
  );

  test('a primary that moves at this moment is no reason to call the cluster unsupported', async () => {
    const error = new ClusterError('transient', 'no shard available');
    let tries = 0;
    const { source } = createSource({
      readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0, { nodeId: 'other' })])),
      openSnapshot: ({ nodeId }) => {
        tries += 1;
        return nodeId === 'other' ? Promise.resolve('p') : Promise.reject(error);
      },
    });
    await checkSnapshots({ source }, context);
    expect(tries).toBe(2);
  });

  test('one that goes on moving is told as what it is', async () => {
    const error = new ClusterError('transient', 'no shard available');
    const { source } = createSource({
      readRouting: () => Promise.resolve(exampleRouting([examplePrimary(0)])),
      openSnapshot: () => Promise.reject(error),
    });
    await expect(checkSnapshots({ source }, context)).rejects.toBe(error);
  });
});

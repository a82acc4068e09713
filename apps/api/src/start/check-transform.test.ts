import { ClusterError, type TransformPort, type TransformRequest } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import type { Hold } from '../limits/admission';
import { checkTransform } from './check-transform';

const missing = new ClusterError('not_found', 'GET /_scripts/nobody answered 404');

function check(
  transformDocuments: TransformPort['transformDocuments'],
  hold: Hold = () => undefined,
): Promise<unknown> {
  const transforms = { readStoredScript: () => Promise.reject(missing), transformDocuments };
  const cluster: unknown = { transforms };
  const script = { type: 'stored', id: 'nobody' };
  return checkTransform(
    { cluster, requestTimeoutMs: 1000 } as ApiDependencies,
    {
      request: { source: 's', target: 't', alias: 'a', script, options: undefined },
      source: { index: 's' },
      target: { index: 't' },
      call: { signal: new AbortController().signal },
    } as Parameters<typeof checkTransform>[1],
    hold,
  );
}

describe('a stored script that is not there', () => {
  test.each(['No processor type exists with name [script]', 'script_lang not supported [painless]'])(
    'on a cluster without scripts: that is the reason (%s)',
    async (said) => {
      const refusal = check(() => Promise.reject(new ClusterError('invalid', said)));
      await expect(refusal).rejects.toThrow(/^This cluster can not run transforms: .*said: /);
    },
  );

  test('on a cluster with scripts: it is not found, and nothing of the source was read', async () => {
    const tried: TransformRequest[] = [];
    const refusal = check((trial) => {
      tried.push(trial);
      return Promise.resolve([]);
    });
    await expect(refusal).rejects.toThrow(
      'Stored script [nobody] not found: store it with PUT _scripts/{id}',
    );
    expect(tried.map(({ documents }) => documents.map(({ idToken }) => idToken))).toEqual([
      ['"aosc-dry-run"'],
    ]);
  });
});

test('a script that runs on is not waited for, and holds until the cluster is done with it', async () => {
  jest.useFakeTimers();
  try {
    let end: () => void = () => undefined;
    const held: Promise<unknown>[] = [];
    const refusal = check(
      () => new Promise((resolve) => (end = () => resolve([]))),
      (until) => held.push(until),
    );
    const told = expect(refusal).rejects.toThrow('it was not done within 1000 ms');
    await jest.advanceTimersByTimeAsync(1_000);
    await told;
    const settled = jest.fn();
    void held[0]?.then(settled);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(settled).not.toHaveBeenCalled();
    end();
    await jest.advanceTimersByTimeAsync(0);
    expect(settled).toHaveBeenCalled();
  } finally {
    jest.useRealTimers();
  }
});

import { ClusterError, type TransformPort, type TransformRequest } from '@aosc/engine';
import type { ApiDependencies } from '../dependencies';
import { checkTransform } from './check-transform';
import { createDryRuns } from './dry-runs';

const missing = new ClusterError('not_found', 'GET /_scripts/nobody answered 404');

function check(transformDocuments: TransformPort['transformDocuments']): Promise<unknown> {
  const transforms = { readStoredScript: () => Promise.reject(missing), transformDocuments };
  const cluster: unknown = { transforms };
  const script = { type: 'stored', id: 'nobody' };
  return checkTransform(
    { cluster, dryRuns: createDryRuns(1000) } as ApiDependencies,
    {
      request: { source: 's', target: 't', alias: 'a', script, options: undefined },
      source: { index: 's' },
      target: { index: 't' },
      call: { signal: new AbortController().signal },
    } as Parameters<typeof checkTransform>[1],
    { id: 'anybody' },
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

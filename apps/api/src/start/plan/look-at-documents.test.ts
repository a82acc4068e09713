import { resolveSettings, type ResolvedOptions } from '@aosc/contract';
import { ClusterError, type RawDocument, type TransformPort } from '@aosc/engine';
import { createDependencies } from '../../__tests__/create-dependencies';
import type { ApiDependencies } from '../../dependencies';
import { Checks } from '../checks';
import { lookAtDocuments, type Looked } from './look-at-documents';

const document: RawDocument = {
  idToken: '"1"',
  routingToken: undefined,
  version: '1',
  source: Buffer.from('{}'),
  size: 2,
};

async function look(transformDocuments: TransformPort['transformDocuments']) {
  const state = {
    count: () => Promise.resolve(1),
    readCheckpoints: () => Promise.resolve([{ maxSeqNo: 0 }]),
  };
  const deps: unknown = {
    cluster: { index: () => ({ state }), transforms: { transformDocuments } },
    requestTimeoutMs: 1,
    pickDocuments: () => Promise.resolve({ documents: [document], bytes: 2, next: 0 }),
  };
  const looked: unknown = {
    options: { convergenceThresholdPerShard: 1 } satisfies Partial<ResolvedOptions>,
    source: { index: 'a', shardCount: 1, settings: {} },
    seen: {
      target: { settings: { 'index.provided_name': 'b' }, mappings: {}, aliases: {} },
      allocation: { primaryBytes: new Map([['0', 2]]) },
    },
    settings: resolveSettings(),
    transform: { source: 'return;', rewritesIdentity: false },
    trial: { documents: 1, seconds: 0 },
    hold: () => undefined,
    call: { signal: new AbortController().signal },
    gone: new AbortController().signal,
  };
  const checks = new Checks('plan');
  const answer = await lookAtDocuments(deps as ApiDependencies, looked as Looked, checks);
  return { script: answer?.documents?.script, found: checks.list().map(({ id, verdict }) => [id, verdict]) };
}

test.each([
  ['does not end', () => new Promise<never>(() => undefined), undefined],
  [
    'fails on every document',
    () => Promise.resolve([{ failure: { type: 'script_exception', reason: 'no' } }]),
    expect.objectContaining({
      changed: 0,
      failed: [{ reason: expect.any(String) as string, count: 1, ids: ['1'] }],
    }),
  ],
])('where the script %s, nothing is said of ids, nor of what the target takes', async (_, run, effect) => {
  const { script, found } = await look(run);
  expect(found).toContainEqual(['documents.script', 'refuse']);
  expect(found.map(([id]) => id)).not.toContain('documents.ids');
  expect(found.map(([id]) => id)).not.toContain('documents.fit');
  expect(script).toEqual(effect);
});

test.each([
  [true, 'documents could not be read: validation_exception'],
  [false, 'documents could not be read: this cluster has [998]/[1000] shards open'],
])(
  'a text of the cluster with its figures is not for a limited caller (limited: %s)',
  async (isLimited, text) => {
    const refusal = new ClusterError('invalid', 'this cluster has [998]/[1000] shards open', {
      type: 'validation_exception',
    });
    const deps = createDependencies({});
    const cluster = { index: () => ({ state: { count: () => Promise.reject(refusal) } }) };
    const looked = { source: { index: 'a' }, caller: { isLimited } } as unknown as Looked;
    const checks = new Checks('plan');
    await lookAtDocuments({ ...deps, cluster: cluster as never }, looked, checks);
    expect(JSON.stringify(checks.list())).toContain(`"${text}"`);
  },
);

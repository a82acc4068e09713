import type { RawDocument, TransformPort, TransformRequest, TransformResult } from '@aosc/engine';
import type { ApiDependencies } from '../../dependencies';
import { Checks } from '../checks';
import { runScript } from './run-script';

const documents = Array.from({ length: 120 }, (_, n): RawDocument => {
  const source = Buffer.from('{}');
  return { idToken: `"${n}"`, routingToken: undefined, version: '1', source, size: 2 };
});
const asItIs = ({ documents: given }: TransformRequest): Promise<TransformResult[]> =>
  Promise.resolve(given.map((origin) => ({ document: { ...origin, origin } })));

async function run(
  transformDocuments: TransformPort['transformDocuments'],
  seconds: number,
  gone = new AbortController().signal,
) {
  const cluster: unknown = { transforms: { transformDocuments } };
  const checks = new Checks('plan');
  const asked = {
    text: { source: 'return;', rewritesIdentity: false },
    target: 't',
    documents,
    trial: { seconds },
    hold: () => undefined,
    call: { signal: new AbortController().signal },
    gone,
  };
  const deps = { cluster, requestTimeoutMs: 1 } as ApiDependencies;
  const results = await runScript(deps, asked, checks);
  return { results, found: checks.list() };
}

test('a script that is fast enough runs on all documents', async () => {
  const { results, found } = await run(asItIs, 3600);
  expect(results).toEqual(documents.map((origin) => ({ document: { ...origin, origin } })));
  expect(found).toEqual([]);
});

test('when the time of the trial is over, what was tried counts, and the plan says how far it came', async () => {
  const { results, found } = await run(asItIs, 0);
  expect(results).toHaveLength(50);
  expect(found).toMatchObject([
    { id: 'documents.script', verdict: 'warn', evidence: 'the script had time for 50 of the 120 documents' },
  ]);
});

test('a batch that does not end is a verdict, and the last one', async () => {
  const transform = jest.fn(() => new Promise<never>(() => undefined));
  const { results, found } = await run(transform, 3600);
  expect(results).toEqual([]);
  expect(found).toMatchObject([{ id: 'documents.script', verdict: 'refuse' }]);
  expect(found[0]?.evidence).toContain('it was not done within 1 ms');
  expect(found[0]?.evidence).not.toContain('had time for');
  expect(transform).toHaveBeenCalledTimes(1);
});

test('for a client that has gone nothing is tried any more', async () => {
  const leave = new AbortController();
  const transform = jest.fn((request: TransformRequest) => {
    leave.abort();
    return asItIs(request);
  });
  await expect(run(transform, 3600, leave.signal)).rejects.toThrow('The client went away');
  expect(transform).toHaveBeenCalledTimes(1);
});

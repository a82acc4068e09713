import { NotRunError } from './elasticdump-package';
import { parseSuiteOptions } from './options';
import type { SuiteResult } from './results';
import { type MeasureCase, runSuite } from './run-suite';

const options = parseSuiteOptions(['--only', 'orders,large,elasticdump,updated', '--rounds', '2']);
const never = new AbortController().signal;

const measure: MeasureCase = (name, _options, { onVersion }) => {
  if (name === 'large') throw new Error('the node ended');
  if (name === 'elasticdump') throw new NotRunError('no network');
  onVersion('3.7.0');
  return Promise.resolve({
    name,
    kind: 'copy',
    documents: 1,
    sourceBytesPerDocument: 1,
    sourceShards: 1,
    targetShards: 1,
    updates: 0,
    deletedDocuments: 0,
    script: undefined,
    warmUp: [],
    runs: [],
    summary: { bestReindex: '', contestants: [] },
  });
};

test('a case that fails or can not be run leaves the others alone, and says why', async () => {
  const { cases, machine } = await runSuite(
    options,
    () => undefined,
    never,
    () => undefined,
    measure,
  );
  expect(cases.map(({ name, kind }) => [name, kind])).toEqual([
    ['orders', 'copy'],
    ['large', 'failed'],
    ['updated', 'copy'],
    ['elasticdump', 'not_run'],
  ]);
  expect(cases).toContainEqual({ name: 'large', kind: 'failed', reason: 'the node ended' });
  expect(machine.openSearch).toBe('3.7.0');
});

test('what was measured is told after each case, always under the same name', async () => {
  const told: SuiteResult[] = [];
  await runSuite(
    options,
    () => undefined,
    never,
    (result) => told.push(result),
    measure,
  );
  expect(told.map(({ cases }) => cases.length)).toEqual([1, 2, 3, 4]);
  expect(new Set(told.map(({ date, commit }) => `${date} ${commit}`)).size).toBe(1);
});

test('an interrupted suite ends, and no case counts as failed', async () => {
  const abort = new AbortController();
  const told: SuiteResult[] = [];
  const interrupted: MeasureCase = () => {
    abort.abort(new Error('interrupted'));
    throw new Error('the servers are gone');
  };
  await expect(
    runSuite(
      options,
      () => undefined,
      abort.signal,
      (result) => told.push(result),
      interrupted,
    ),
  ).rejects.toThrow('interrupted');
  expect(told).toEqual([]);
});

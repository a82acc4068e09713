import {
  callJson,
  callRaw,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  readStatus,
  sendChecked,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { type Environment, startEnvironment, until } from './support/environment';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const rateSetting = 'script.max_compilations_rate';
const setRate = (rate: string | null) =>
  callJson(environment.http, (answer) => answer, 'PUT', '/_cluster/settings', {
    persistent: { [rateSetting]: rate },
  });

/** Has the cluster compile a script that it has not seen. @throws when it compiles no more */
const compile = (number: number) =>
  callRaw(environment.http, {
    method: 'POST',
    path: '/_ingest/pipeline/_simulate',
    body: JSON.stringify({
      pipeline: { processors: [{ script: { source: `ctx.n = ${number}` } }] },
      docs: [{ _source: {} }],
    }),
  });

test('a step that the cluster refuses again and again is in the status with what to do, and is taken when it may', async () => {
  const { http, apiUrl, service } = environment;
  const names = { source: 'parts-v1', target: 'parts-v2', alias: 'parts' };
  await createSourceIndex(http, { name: names.source, shards: 1, alias: names.alias });
  await createTargetIndex(http, { name: names.target, shards: 1 });
  await loadDocuments(http, names.alias, [{ id: '1', source: '{"n":1}' }]);
  for (const scheduler of service.schedulers) await scheduler.stop();
  const transformScript = { type: 'inline', source: 'ctx._source.m = 2' };
  await startMigration(apiUrl, { ...names, transformScript });
  await setRate('1/60m');
  let compiled = 0;
  await until('a cluster that compiles no more scripts', async () => {
    compiled += 1;
    return compile(compiled).then(
      () => false,
      () => true,
    );
  });

  await environment.restore(1);
  await until('the refusal in the status', async () => {
    const { waiting_for: wait } = await readStatus(apiUrl, names.source);
    return wait?.reason === 'cluster';
  });
  const { waiting_for: wait, phase, error_message: error } = await readStatus(apiUrl, names.source);
  expect([phase, error]).toEqual(['ACTIVE', undefined]);
  expect(wait?.text).toMatch(/Too many dynamic script compilations.*Raise the cluster setting that it names/);

  await setRate(null);
  await waitForPhase(apiUrl, names.source, ['COMPLETED'], {
    onStatus: ({ phase: now, waiting_for: left }) => {
      if (now === 'COMPLETED') expect(left).toBeUndefined();
    },
  });
});

test('while the cluster is read-only the status says so, and the migration goes on when it takes writes again', async () => {
  const { http, apiUrl } = environment;
  const names = { source: 'sealed-v1', target: 'sealed-v2', alias: 'sealed' };
  const seal = (isSealed: true | null) =>
    callJson(http, (answer) => answer, 'PUT', '/_cluster/settings', {
      persistent: { 'cluster.blocks.read_only': isSealed },
    });
  await environment.restore(1);
  await createSourceIndex(http, { name: names.source, shards: 1, alias: names.alias });
  await createTargetIndex(http, { name: names.target, shards: 1 });
  await loadDocuments(http, names.alias, [{ id: '1', source: '{"n":1}' }]);
  await startMigration(apiUrl, { ...names, options: { cutover: 'manual' } });
  await waitForPhase(apiUrl, names.source, ['PREPARING_TARGET']);
  await seal(true);
  try {
    await until('the block in the status', async () => {
      const { error_message: text } = await readStatus(apiUrl, names.source);
      return text !== undefined && /cluster read-only \(api\).*Take the block away/.test(text);
    });
    expect(await readStatus(apiUrl, names.source)).toMatchObject({ phase: 'PREPARING_TARGET' });
  } finally {
    await seal(null);
  }
  const path = `/_plugins/_aosc/${names.source}/_cutover`;
  expect(await sendChecked(apiUrl, path, { method: 'POST' })).toMatchObject({ status: 200 });
  await waitForPhase(apiUrl, names.source, ['COMPLETED']);
});

import {
  compareIndices,
  createSourceIndex,
  createTargetIndex,
  describeMismatches,
  findLeftovers,
  type LoadedDocument,
  loadDocuments,
  sendChecked,
  startMigration,
  terminalPhases,
  waitForPhase,
} from '@aosc/testkit';
import { hasProcessors } from './support/capabilities';
import { type Environment, startEnvironment } from './support/environment';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment();
});
afterAll(() => environment.stop());

const script = {
  type: 'inline',
  source: 'ctx._source.label = params.label + ctx._source.key',
  params: { label: 'x' },
};

function* numbered(count: number): Generator<LoadedDocument> {
  for (let n = 0; n < count; n++)
    yield { id: `d${n}`, source: JSON.stringify({ key: `d${n}`, revision: n }) };
}

test('a transform is carried out, or refused at the start with the reason where the cluster has no scripts', async () => {
  const { http, urls, apiUrl } = environment;
  const [source, target, alias] = ['versions-v1', 'versions-v2', 'versions'];
  await createSourceIndex(http, { name: source, alias, shards: 2, routingShards: 8 });
  await createTargetIndex(http, { name: target, shards: 4, routingShards: 8 });
  await loadDocuments(http, alias, numbered(1_000));
  if (await hasProcessors(http, 'script')) {
    await startMigration(apiUrl, { source, target, alias, transformScript: script });
    const { phase, error_message: reason } = await waitForPhase(apiUrl, source, terminalPhases);
    expect({ phase, reason }).toEqual({ phase: 'COMPLETED' });
    const { mismatches, judgedBySource } = await compareIndices({
      urls,
      source,
      target,
      transform: ({ source: before, ...identity }) => ({
        ...identity,
        source: { ...before, label: `x${String(before['key'])}` },
      }),
    });
    expect(describeMismatches(mismatches)).toEqual([]);
    expect(judgedBySource).toBe(1_000);
    return;
  }
  const { status, body } = await sendChecked(apiUrl, `/_plugins/_aosc/${source}/_start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ target_index: target, alias, transform_script: script }),
  });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('This cluster can not run transforms: it has no script processor');
  expect(await findLeftovers({ urls, source, target })).toEqual([]);
});

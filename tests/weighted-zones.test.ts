import {
  callJson,
  createSourceIndex,
  createTargetIndex,
  loadDocuments,
  startMigration,
  waitForPhase,
} from '@aosc/testkit';
import { type Environment, startEnvironment } from './support/environment';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    openSearchSettings: {
      'node.attr.zone': 'a',
      'cluster.routing.allocation.awareness.attributes': 'zone',
    },
  });
});
afterAll(() => environment.stop());

const put = (path: string, body: object) => callJson(environment.http, (answer) => answer, 'PUT', path, body);

test('zones with weights: the start is refused with the setting that lets it work, and then it works', async () => {
  const { http, apiUrl } = environment;
  const names = { source: 'zones-v1', target: 'zones-v2', alias: 'zones' };
  await createSourceIndex(http, { name: names.source, shards: 2, alias: names.alias });
  await createTargetIndex(http, { name: names.target, shards: 2 });
  await loadDocuments(http, names.alias, [{ id: '1', source: '{"n":1}' }]);
  await put('/_cluster/routing/awareness/zone/weights', { weights: { a: '1' }, _version: -1 });
  await expect(startMigration(apiUrl, names)).rejects.toThrow(
    'set the cluster setting [cluster.routing.weighted.strict] to false',
  );
  await put('/_cluster/settings', { persistent: { 'cluster.routing.weighted.strict': false } });
  await startMigration(apiUrl, names);
  await waitForPhase(apiUrl, names.source, ['COMPLETED']);
});

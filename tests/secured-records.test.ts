import { type Environment, startEnvironment } from './support/environment';
import { blockAlone } from './support/held-cutover';
import { documentedRoleFor, putRole, serviceUser } from './support/secured-cluster';
import { testUnwritableRecords, quickBlocks } from './support/unwritable-records';

jest.setTimeout(600_000);

/** The documented role is enough to lift a block whose record is out of reach. */
let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ secured: true, env: quickBlocks, settings: blockAlone });
  await putRole(environment.http, serviceUser.name, documentedRoleFor(['orders-*-v1'], ['orders-*-v2']));
});
afterAll(() => environment.stop());

testUnwritableRecords(
  'under the write block the records $what: it is lifted in time, and nothing is said to be done that is not',
  () => environment,
  'orders',
);

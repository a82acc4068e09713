import { type Environment, startEnvironment } from './support/environment';
import { blockAlone } from './support/held-cutover';
import { testUnwritableRecords, quickBlocks } from './support/unwritable-records';

jest.setTimeout(600_000);

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ env: quickBlocks, settings: blockAlone });
});
afterAll(() => environment.stop());

testUnwritableRecords(
  'under the write block the records $what: it is lifted in time, and nothing is said to be done that is not',
  () => environment,
  'records',
);

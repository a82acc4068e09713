import { allRows } from './rows';
import { type ContractRun, startContractRun } from './support/contract-run';
import { readCoveragePage } from './support/coverage-page';

jest.setTimeout(600_000);

let run: ContractRun;
beforeAll(async () => {
  run = await startContractRun();
});
afterAll(async () => {
  // Missing when the start itself has failed.
  await (run as ContractRun | undefined)?.environment.stop();
});

/**
 * In the order of the page, so that the report reads like it. coverage.test.ts names the rows whose test is elsewhere.
 */
const rows = readCoveragePage().flatMap(({ id, says }) => {
  const row = Object.hasOwn(allRows, id) ? allRows[id] : undefined;
  return row === undefined ? [] : [{ name: `${id}: ${says}`, row }];
});

test.each(rows)('$name', async ({ row }) => {
  await row(run);
});

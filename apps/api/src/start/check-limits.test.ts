import { createDependencies } from '../__tests__/create-dependencies';
import { createMigration } from '../__tests__/create-migration';
import { callerOf } from './caller';
import { checkMigrationShare } from './check-limits';

const call = { signal: new AbortController().signal };
const caller = (indexPatterns: readonly string[] | undefined) =>
  callerOf({ name: 'team', kind: 'api_key', roles: ['operate'], indexPatterns });
/** @param sources of the migrations that are not cleared away yet */
const check = (
  sources: readonly string[],
  patterns: readonly string[] | undefined,
  phase = 'ACTIVE' as const,
) => {
  const listed = sources.map((sourceIndex) => ({
    record: createMigration({ sourceIndex, phase }),
    seqNo: 0,
    primaryTerm: 1,
  }));
  const deps = createDependencies({ listActive: () => Promise.resolve(listed) });
  return checkMigrationShare({ ...deps, limitedMigrations: 2 }, caller(patterns), call);
};

test('what runs of its indices fills the share of a limited credential', async () => {
  await check(['a-1', 'b-1', 'b-2'], ['a-*']);
  const asked = check(['a-1', 'b-1', 'a-2'], ['a-*']);
  await expect(asked).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(/may have 2 migrations .* ask an administrator/) as string,
  });
});

test('other credentials have no share', async () => {
  await check(['a-1', 'a-2', 'a-3'], undefined);
});

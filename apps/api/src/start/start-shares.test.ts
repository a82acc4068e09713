import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Burden, burdenOf, createStartAdmission, workOf } from './start-shares';

/** How many of these begin at once. */
async function countRunning(starts: readonly { id: string; isLimited: boolean; burden?: Burden }[]) {
  const admission = createStartAdmission(60_000);
  const begun: string[] = [];
  const callers = starts.map(() => new AbortController());
  const all = starts.map(({ id, isLimited, burden = 'none' }, at) =>
    admission
      .run(workOf({ id, isLimited }, burden, callers[at]?.signal), () => {
        begun.push(id);
        return new Promise<void>((resolve) => callers[at]?.signal.addEventListener('abort', () => resolve()));
      })
      .catch(() => undefined),
  );
  await nextTurn();
  // From the last: those who wait go before those who run.
  for (const caller of callers.toReversed()) caller.abort();
  await Promise.all(all);
  return begun;
}
const many = (count: number, isLimited: boolean, burden?: Burden) =>
  Array.from({ length: count }, (_, n) => ({
    id: `${isLimited ? 'limited' : 'other'} ${n}`,
    isLimited,
    ...(burden && { burden }),
  }));

test.each<[string, boolean, Burden, number]>([
  ['plain starts', false, 'none', 16],
  ['starts with a script', false, 'script', 2],
  ['starts with a query', false, 'query', 16],
  ['plain starts of limited credentials', true, 'none', 4],
  ['starts with a query of limited credentials', true, 'query', 2],
  ['starts with a script of limited credentials', true, 'script', 1],
  ['creations of limited credentials', true, 'creation', 1],
])('of %s so many run at once', async (_what, isLimited, burden, expected) => {
  expect(await countRunning(many(20, isLimited, burden))).toHaveLength(expected);
});

test('limited credentials leave half of the units to others, and one credential leaves some to all', async () => {
  const begun = await countRunning([...many(20, true), ...many(20, false)]);
  expect(begun.filter((id) => id.startsWith('other'))).toHaveLength(8);
  const one = Array.from({ length: 40 }, () => ({ id: 'busy', isLimited: false }));
  expect(await countRunning([...one, ...many(20, false)])).toHaveLength(16);
  expect(await countRunning(one)).toHaveLength(12);
});

test('of one credential one script runs, and what has none beside it', async () => {
  const of = (burden: Burden) => ({ id: 'a', isLimited: false, burden });
  expect(await countRunning([of('script'), of('script')])).toHaveLength(1);
  expect(await countRunning([of('script'), of('none'), of('none')])).toHaveLength(3);
});

test.each([
  [undefined, 'none'],
  ['documents', 'none'],
  ['files', 'creation'],
  ['auto', 'creation'],
] as const)('a start with copy %s has the burden %s', (copy, burden) => {
  const named = { source: 's', target: 't', alias: 'a', script: undefined, createTarget: undefined };
  expect(burdenOf({ ...named, plan: undefined, options: copy && { copy } })).toBe(burden);
});

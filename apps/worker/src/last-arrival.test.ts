import { LastArrival } from './last-arrival';

function createGroups() {
  const reported: string[] = [];
  const state = { isOutOfReach: false };
  const arrivals = new LastArrival();
  const join = (name: string) =>
    arrivals.join(name, () => {
      if (!state.isOutOfReach) reported.push(name);
      return Promise.resolve(!state.isOutOfReach);
    });
  return { reported, state, groups: { join } };
}

test('only the last to arrive reports', async () => {
  const { reported, groups } = createGroups();
  const [first, second, third] = [0, 1, 2].map(() => groups.join('a'));
  await second?.arrive();
  await first?.arrive();
  expect(reported).toEqual([]);
  await third?.arrive();
  expect(reported).toEqual(['a']);
  for (const one of [first, second, third]) await one?.leave();
  expect(reported).toEqual(['a']);
});

test('a member that leaves on the way holds no other up', async () => {
  const { reported, groups } = createGroups();
  const [first, second] = [0, 1].map(() => groups.join('a'));
  await first?.arrive();
  await second?.leave();
  expect(reported).toEqual(['a']);
});

test('a group of which none has arrived is not reported', async () => {
  const { reported, groups } = createGroups();
  const [first, second] = [0, 1].map(() => groups.join('a'));
  await first?.leave();
  await second?.leave();
  expect(reported).toEqual([]);
});

test('a member that comes when the others have arrived is a group of its own', async () => {
  const { reported, groups } = createGroups();
  await groups.join('a').arrive();
  const late = groups.join('a');
  expect(reported).toEqual(['a']);
  await late.arrive();
  expect(reported).toEqual(['a', 'a']);
});

test('groups of two names do not wait for each other', async () => {
  const { reported, groups } = createGroups();
  groups.join('b');
  await groups.join('a').arrive();
  expect(reported).toEqual(['a']);
});

test('a member whose report fails says so, and those before it count on the last', async () => {
  const { reported, state, groups } = createGroups();
  const [first, second] = [0, 1].map(() => groups.join('a'));
  state.isOutOfReach = true;
  expect(await first?.arrive()).toBe(true);
  expect(await second?.arrive()).toBe(false);
  expect(reported).toEqual([]);
});

import { LastOfCompany } from './last-of-company';

function createCompanies() {
  const told: string[] = [];
  const state = { isOutOfReach: false };
  const company = new LastOfCompany();
  const join = (name: string) =>
    company.join(name, () => {
      if (!state.isOutOfReach) told.push(name);
      return Promise.resolve(!state.isOutOfReach);
    });
  return { told, state, companies: { join } };
}

test('only the last to arrive reports', async () => {
  const { told, companies } = createCompanies();
  const [first, second, third] = [0, 1, 2].map(() => companies.join('a'));
  await second?.arrive();
  await first?.arrive();
  expect(told).toEqual([]);
  await third?.arrive();
  expect(told).toEqual(['a']);
  for (const one of [first, second, third]) await one?.leave();
  expect(told).toEqual(['a']);
});

test('a companion that leaves on the way holds no other up', async () => {
  const { told, companies } = createCompanies();
  const [first, second] = [0, 1].map(() => companies.join('a'));
  await first?.arrive();
  await second?.leave();
  expect(told).toEqual(['a']);
});

test('a company of which none has arrived is not reported', async () => {
  const { told, companies } = createCompanies();
  const [first, second] = [0, 1].map(() => companies.join('a'));
  await first?.leave();
  await second?.leave();
  expect(told).toEqual([]);
});

test('a companion that comes when the others have arrived is a company of its own', async () => {
  const { told, companies } = createCompanies();
  await companies.join('a').arrive();
  const late = companies.join('a');
  expect(told).toEqual(['a']);
  await late.arrive();
  expect(told).toEqual(['a', 'a']);
});

test('companies of two names do not wait for each other', async () => {
  const { told, companies } = createCompanies();
  companies.join('b');
  await companies.join('a').arrive();
  expect(told).toEqual(['a']);
});

test('a companion whose report fails says so, and those before it count on the last', async () => {
  const { told, state, companies } = createCompanies();
  const [first, second] = [0, 1].map(() => companies.join('a'));
  state.isOutOfReach = true;
  expect(await first?.arrive()).toBe(true);
  expect(await second?.arrive()).toBe(false);
  expect(told).toEqual([]);
});

import { createRandom } from '@aosc/testkit';
import { allCities, listDocuments, listIds, makeCity, makeVisit } from './dataset';

test('the data set is cut, or begins again with new ids', () => {
  expect([...listDocuments(3)].map(({ id }) => id)).toEqual(['city-0', 'city-1', 'city-2']);
  const repeated = [...listDocuments(allCities + 1)];
  expect(repeated).toHaveLength(allCities + 1);
  expect(new Set(repeated.map(({ id }) => id)).size).toBe(allCities + 1);
  expect(repeated.at(-1)?.source).toBe(repeated[0]?.source);
  expect(listIds(allCities + 1)).toEqual(repeated.map(({ id }) => id));
});

test('loaded documents fit one line of a bulk request', () => {
  for (const { source } of listDocuments(2_000)) expect(source).not.toMatch(/[\r\n]/);
});

test('what the writers put carries its revision', () => {
  const document = { id: 'x', revision: 7 };
  expect(JSON.parse(makeCity(createRandom(1), document))).toMatchObject({ revision: 7 });
  expect(JSON.parse(makeVisit(createRandom(1), document))).toMatchObject({ revision: 7 });
});

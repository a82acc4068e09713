import { countCities, listCities, listCityIds, makeCity, makeVisit } from './cities';
import { createRandom } from './random';

test('the data set is cut, or begins again with new ids', () => {
  const all = countCities();
  expect([...listCities(3)].map(({ id }) => id)).toEqual(['city-0', 'city-1', 'city-2']);
  const repeated = [...listCities(all + 1)];
  expect(repeated).toHaveLength(all + 1);
  expect(new Set(repeated.map(({ id }) => id)).size).toBe(all + 1);
  expect(repeated.at(-1)?.source).toBe(repeated[0]?.source);
  expect(listCityIds(all + 1)).toEqual(repeated.map(({ id }) => id));
});

test('loaded documents fit one line of a bulk request', () => {
  for (const { source } of listCities(2_000)) expect(source).not.toMatch(/[\r\n]/);
});

test('what the writers put carries its revision', () => {
  const document = { id: 'x', revision: 7 };
  expect(JSON.parse(makeCity(createRandom(1), document))).toMatchObject({ revision: 7 });
  expect(JSON.parse(makeVisit(createRandom(1), document))).toMatchObject({ revision: 7 });
});

import { variables } from '@aosc/config';
import { createParser } from '@aosc/contract';
import { Type } from '@sinclair/typebox';
import { readChart, readValues, templates, valueSets } from './__tests__/chart';

/** What can be said of the chart without Helm. */

const schema: unknown = JSON.parse(readChart('values.schema.json'));
if (typeof schema !== 'object' || schema === null) throw new TypeError('the schema is no object');
const check = createParser('values', Type.Unsafe(schema));
const withApi = (api: object) => () => check({ api });

test('the schema takes the default values', () => {
  expect(() => check(readValues())).not.toThrow();
});

test.each(valueSets)('the schema takes ci/%s', (set) => {
  expect(() => check(readValues(set))).not.toThrow();
});

test('the schema knows every default value, and every value it knows has a default', () => {
  const required = createParser('values', Type.Unsafe(withAllRequired(schema)));
  expect(() => required(readValues())).not.toThrow();
});

test('the schema refuses what would be a mistake', () => {
  expect(withApi({ replicas: 0 })).toThrow('/api/replicas');
  expect(withApi({ replica: 2 })).toThrow('additional properties');
  expect(withApi({ allowUnauthenticated: 'on-any-address' })).toThrow('/api/allowUnauthenticated');
  expect(() => check({ redis: { cluster: 'yes' } })).toThrow('/redis/cluster');
  expect(withApi({ auth: { secret: 'Not A Name' } })).toThrow('/api/auth/secret');
  expect(() => check({ terminationGracePeriodSeconds: 10 })).toThrow('/terminationGracePeriodSeconds');
  expect(() => check({ worker: { autoscaling: { minReplicas: 0 } } })).toThrow('/minReplicas');
  expect(() => check({ variables: { PATH: '/' } })).toThrow('/variables');
  expect(() => check({ variables: { AOSC_GUARD_MS: 180_000 } })).toThrow('/variables');
});

const names = (text: string): ReadonlySet<string> => new Set(text.match(/\bAOSC_[A-Z_]*[A-Z]\b/g));
const known = new Set<string>(Object.values(variables).map(({ name }) => name));

test.each([
  ...templates.map(({ name, text }) => [name, text]),
  ...['values.yaml', ...valueSets.map((set) => `ci/${set}`)].map((path) => [path, readChart(path)]),
])('the service knows every variable in %s', (_, text = '') => {
  expect([...names(text)].filter((name) => !known.has(name))).toEqual([]);
});

test('variables that the chart sets itself can not be set once more, and the page lists them', () => {
  const textOf = (template: string) => templates.find(({ name }) => name === template)?.text ?? '';
  const set = names(textOf('_environment.tpl'));
  const [, own = ''] = textOf('_checks.tpl').split('define "aosc.ownVariables"');
  expect(set.size).toBeGreaterThan(20);
  expect(names(own)).toEqual(set);
  expect([...set].filter((name) => !readChart('README.md').includes(`\`${name}\``))).toEqual([]);
});

test('a worker has the slots that it would have without the chart', () => {
  const { workerBackfillConcurrency, workerReplayConcurrency, workerCatchupConcurrency } = variables;
  expect(readValues()).toMatchObject({
    worker: {
      concurrency: {
        backfill: Number(workerBackfillConcurrency.fallback),
        replay: Number(workerReplayConcurrency.fallback),
        catchUp: Number(workerCatchupConcurrency.fallback),
      },
    },
  });
});

/** The same schema, with every property that it names required. Helm's own value for parent charts has no default. */
function withAllRequired(part: unknown): object {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each: unknown) => visit(each));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(
      ([name, inner]: [string, unknown]) => [name, visit(inner)] as const,
    );
    const copy: Record<string, unknown> = Object.fromEntries(entries);
    const { properties } = copy;
    if (typeof properties === 'object' && properties !== null)
      copy['required'] = Object.keys(properties).filter((name) => name !== 'global');
    return copy;
  };
  const copy = visit(part);
  if (typeof copy !== 'object' || copy === null) throw new TypeError('the schema is no object');
  return copy;
}

import { readFileSync } from 'node:fs';
import { logEvents } from '@aosc/contract';
import { findEmissions } from './__tests__/catalogue/event-catalogue';
import { findSetters, isOwn, readMetrics } from './__tests__/catalogue/metric-catalogue';
import { pages } from './__tests__/catalogue/pages';
import { readSources, type Source } from './__tests__/catalogue/sources';

let sources: readonly Source[] = [];
beforeAll(() => {
  sources = readSources();
}, 60_000);

// On other systems Node has fewer figures of the process.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux.each(pages)(
  'docs/reference/$name is current; `npm run generate:catalogue` renews it',
  async ({ path, renew }) => {
    const page = readFileSync(path, 'utf8');
    expect(page).toBe(await renew(page));
  },
);

test('each figure of the service is set somewhere', async () => {
  const setters = findSetters(sources);
  const own = (await readMetrics()).filter(isOwn);
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter(({ name }) => !setters.has(name))).toEqual([]);
});

test('each event is logged somewhere, with a level', () => {
  const emissions = findEmissions(sources).filter(({ levels }) => levels.length > 0);
  const logged = new Set(emissions.map(({ event }) => event));
  expect(logEvents.filter((event) => !logged.has(event))).toEqual([]);
});

test('figures have the names that Prometheus asks for', async () => {
  const own = (await readMetrics()).filter(isOwn);
  for (const { name, type } of own) {
    expect(name).toMatch(/^aosc(_[a-z]+)+$/);
    // A counter ends so and nothing else does; units are whole words of the base unit.
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(name).not.toMatch(/_(ms|millis|seconds_[a-z]+|bytes_per|kb|mb|percent)(_|$)/);
    if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
  }
});

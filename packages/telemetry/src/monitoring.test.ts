import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { logEvents } from '@aosc/contract';
import { type CataloguedMetric, readMetrics } from './__tests__/catalogue/metric-catalogue';
import { root } from './__tests__/catalogue/sources';
import { readAlerts } from './__tests__/monitoring/alerts';
import { expressionsOf, readDashboard } from './__tests__/monitoring/dashboard';
import { findMatchers, findMetricNames } from './__tests__/monitoring/promql';
import { createMetrics } from './metrics';

const folder = join(root, 'deploy/monitoring');
const dashboards = ['fleet', 'migration'];
const alerts = readAlerts();

let metrics: readonly CataloguedMetric[] = [];
beforeAll(async () => {
  metrics = await readMetrics();
});

/** Labels that Prometheus sets: those of the place that a figure comes from. */
const ofPrometheus = ['app', 'instance', 'job', 'cluster', 'namespace'];

/** What each figure may be asked for. */
function findUnknown(expression: string): readonly string[] {
  const labelsOf = new Map(metrics.map(({ name, labels }) => [name, [...labels, ...ofPrometheus, 'le']]));
  const histograms = metrics.filter(({ type }) => type === 'histogram');
  for (const { name, labels } of histograms)
    for (const suffix of ['bucket', 'sum', 'count'])
      labelsOf.set(`${name}_${suffix}`, [...labels, ...ofPrometheus, 'le']);
  return [
    ...findMetricNames(expression).filter((name) => !labelsOf.has(name)),
    ...findMatchers(expression)
      .filter(({ metric, label }) => labelsOf.get(metric)?.includes(label) !== true)
      .map(({ metric, label }) => `${metric}{${label}}`),
    ...findMatchers(expression)
      .filter(({ label }) => label === 'event')
      .flatMap(({ value }) => value.split('|'))
      .filter((event) => !logEvents.some((known) => known === event)),
  ];
}

test('a name, a label or an event that does not exist is found', () => {
  expect(findUnknown('sum by (reason) (rate(aosc_migration_waiting{app="x"}[5m])) > 0')).toEqual([
    'aosc_migration_waiting',
    'aosc_migration_waiting{app}',
  ]);
  expect(findUnknown('aosc_jobs{queues="x"} or aosc_log_events_total{event=~"waiting|weighting"}')).toEqual([
    'aosc_jobs{queues}',
    'weighting',
  ]);
  expect(
    findUnknown('histogram_quantile(0.5, sum by (le) (increase(aosc_write_block_seconds_bucket[6h])))'),
  ).toEqual([]);
});

test.each(alerts)('$alert asks for figures that exist', ({ expr }) => {
  expect(findMetricNames(expr).length).toBeGreaterThan(0);
  expect(findUnknown(expr)).toEqual([]);
});

test.each(alerts)('$alert says how grave it is, what it means, and where to read on', (alert) => {
  expect(alert.alert).toMatch(/^Aosc[A-Z][A-Za-z]+$/);
  expect(['critical', 'warning']).toContain(alert.labels.severity);
  expect(alert.for).toMatch(/^\d+[smh]$/);
  expect(alert.annotations.summary).not.toBe('');
  expect(alert.annotations.description).not.toBe('');
  expect(alert.annotations.runbook_url).toBe(`docs/operations/runbook.md#${alert.alert.toLowerCase()}`);
});

test('each alert has one name', () => {
  const names = alerts.map(({ alert }) => alert);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
});

test.each(dashboards)('the dashboard %s asks for figures that exist', (name) => {
  const expressions = expressionsOf(readDashboard(name));
  expect(expressions.length).toBeGreaterThan(8);
  expect(expressions.flatMap(findUnknown)).toEqual([]);
});

test.each(dashboards)('the dashboard %s takes its data source from the variable, in every panel', (name) => {
  const { templating, panels } = readDashboard(name);
  expect(templating.list).toContainEqual(
    expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
  );
  const sources = panels.flatMap(({ type, datasource, targets = [] }) =>
    type === 'row' ? [] : [datasource?.uid, ...targets.map((target) => target.datasource.uid)],
  );
  expect(new Set(sources)).toEqual(new Set(['${datasource}']));
});

test.each(dashboards)(
  'the dashboard %s asks for the chosen clusters and namespaces, in every figure',
  (name) => {
    const { templating, panels } = readDashboard(name);
    for (const variable of ['cluster', 'namespace']) {
      expect(templating.list).toContainEqual(
        expect.objectContaining({ name: variable, type: 'query', allValue: '.*', includeAll: true }),
      );
    }
    for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
      const matchers = findMatchers(expr);
      const chosen = (label: string) =>
        matchers.filter((matcher) => matcher.label === label && matcher.value === `$${label}`).length;
      const figures = findMetricNames(expr).length;
      expect([expr, chosen('cluster') >= figures, chosen('namespace') >= figures]).toEqual([
        expr,
        true,
        true,
      ]);
    }
  },
);

test.each(dashboards)('the panels of %s have ids of their own and do not overlap', (name) => {
  const { panels } = readDashboard(name);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
});

const isInstalled = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((path) => existsSync(join(path, 'promtool')));
/** Skipped where Prometheus's own tool is missing: Debian has it in the package `prometheus`. */
const withPromtool = isInstalled ? test : test.skip;

withPromtool.each([
  ['check', 'alerts.yml'],
  ['test', 'alerts.test.yml'],
])('promtool %s rules %s (skipped without promtool)', (command, file) => {
  expect(execFileSync('promtool', [command, 'rules', file], { cwd: folder, encoding: 'utf8' })).toContain(
    'SUCCESS',
  );
});

withPromtool(
  'promtool finds nothing wrong with the names of the figures (skipped without promtool)',
  async () => {
    const text = await createMetrics('worker').render();
    const own = text.split('\n').filter((line) => /^(# (HELP|TYPE) )?aosc_/.test(line));
    expect(
      execFileSync('promtool', ['check', 'metrics'], { input: `${own.join('\n')}\n`, encoding: 'utf8' }),
    ).toBe('');
  },
);

test('the tests of the rules are about alerts that exist', () => {
  const named = readFileSync(join(folder, 'alerts.test.yml'), 'utf8').matchAll(/alertname: (\w+)/g);
  const names = alerts.map(({ alert }) => alert);
  expect([...named].map(([, name = '']) => name).filter((name) => !names.includes(name))).toEqual([]);
});

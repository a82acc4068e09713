import ts from 'typescript';
import { createMetrics } from '../../metrics';
import { createRegistry } from '../../registry';
import { findAround, nodesOf, type Source } from './sources';

export interface CataloguedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** values of its one label that are there from the beginning */
  readonly firstValues: readonly string[];
}

/** All figures of a process, from its registry. */
export async function readMetrics(): Promise<readonly CataloguedMetric[]> {
  const registry = createRegistry('catalogue');
  createMetrics('catalogue', registry);
  const values = new Map((await registry.getMetricsAsJSON()).map((metric) => [metric.name, metric.values]));
  return registry.getMetricsAsArray().map((metric) => {
    const labels = labelsOf(metric);
    const [label] = labels;
    const own = (values.get(metric.name) ?? []).map((value) =>
      new Map(Object.entries(value.labels)).get(label ?? ''),
    );
    return {
      name: metric.name,
      type: String(metric.type),
      help: metric.help,
      labels,
      firstValues: [...new Set(own.filter((value) => value !== undefined))].map(String),
    };
  });
}

/** prom-client keeps them in the metric, but its types leave them out. */
function labelsOf(metric: object): readonly string[] {
  const labels: unknown = 'labelNames' in metric ? metric.labelNames : [];
  return Array.isArray(labels) ? labels.map(String) : [];
}

/** Where the service sets each of its own figures: paths by the name of the figure. */
export function findSetters(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const telemetry = sources.filter(({ path }) => path.startsWith('packages/telemetry/'));
  const makers = new Map(telemetry.flatMap(({ file }) => [...makersIn(file)]));
  const byMethod = new Map<string, Set<string>>();
  for (const { file } of telemetry) {
    const own = new Map([...makers, ...variablesIn(file)]);
    for (const [method, body] of methodsIn(file)) {
      const held = [...nodesOf(body)].filter(ts.isIdentifier).flatMap(({ text }) => own.get(text) ?? []);
      const used = [...namesIn(body), ...held];
      if (used.length > 0) byMethod.set(method, new Set([...(byMethod.get(method) ?? []), ...used]));
    }
  }
  const found = new Map<string, Set<string>>();
  for (const { path, file } of sources) {
    for (const method of callsIn(file)) {
      for (const name of byMethod.get(method) ?? [])
        found.set(name, new Set([...(found.get(name) ?? []), path]));
    }
  }
  return new Map([...found].map(([name, paths]) => [name, [...paths].sort()]));
}

const namesIn = (node: ts.Node): readonly string[] =>
  [...nodesOf(node)]
    .filter(ts.isStringLiteral)
    .map(({ text }) => text)
    .filter((text) => /^aosc_[a-z_]+$/.test(text));

/** Functions that make figures, with all that they make. */
function* makersIn(file: ts.SourceFile): Generator<[string, readonly string[]]> {
  for (const node of file.statements) {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) yield [node.name.text, namesIn(node)];
  }
}

/** Variables that hold one figure. */
function* variablesIn(file: ts.SourceFile): Generator<[string, readonly string[]]> {
  for (const node of nodesOf(file)) {
    const isFigure =
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer !== undefined &&
      (ts.isNewExpression(node.initializer) || ts.isCallExpression(node.initializer));
    if (isFigure) yield [node.name.text, namesIn(node)];
  }
}

/** What the objects that functions return can do, by name. */
function* methodsIn(file: ts.SourceFile): Generator<[string, ts.Node]> {
  for (const node of nodesOf(file)) {
    const isMember = ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node);
    if (!isMember || !ts.isReturnStatement(node.parent.parent) || !ts.isIdentifier(node.name)) continue;
    const body = ts.isPropertyAssignment(node) ? node.initializer : node.body;
    if (body !== undefined) yield [node.name.text, body];
  }
}

/** Names of the methods that a file calls. */
function* callsIn(file: ts.SourceFile): Generator<string> {
  for (const node of nodesOf(file)) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) continue;
    // The makers in telemetry itself only pass it on.
    if (findAround(node, ts.isFunctionDeclaration)?.name?.text === 'createMetrics') continue;
    yield node.expression.name.text;
  }
}

/** The list of figures, as Markdown. */
export function renderMetrics(
  metrics: readonly CataloguedMetric[],
  setters: ReadonlyMap<string, readonly string[]>,
): string {
  const sorted = metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [own, others] = [sorted.filter(isOwn), sorted.filter((metric) => !isOwn(metric))];
  return [
    '## Of the service',
    own.map((metric) => renderOwn(metric, setters.get(metric.name) ?? [])).join('\n'),
    '## Of the process and of Node',
    others.map(({ name, type, help }) => `- \`${name}\`, ${type}: ${withoutDot(help)}`).join('\n'),
  ].join('\n\n');
}

export const isOwn = ({ name }: CataloguedMetric): boolean => name.startsWith('aosc_');

/** More than these are the list of events. */
const mostShown = 12;

function renderOwn(
  { name, type, help, labels, firstValues }: CataloguedMetric,
  paths: readonly string[],
): string {
  const values = firstValues.length > mostShown ? [] : firstValues.map((value) => `\`${value}\``);
  const known = values.length === 0 ? '' : ` (${values.join(', ')})`;
  const by = labels.length === 0 ? '' : ` by ${labels.map((label) => `\`${label}\``).join(' and ')}${known}`;
  return `- \`${name}\`, ${type}${by}: ${help}. Set in ${paths.map((path) => `\`${path}\``).join(', ')}.`;
}

const withoutDot = (text: string): string => `${text.replace(/\.$/, '')}.`;

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logEvents } from '@aosc/contract';
import { createMetrics } from '@aosc/telemetry';
import ts from 'typescript';

/**
 * Operators look for the listed events and figures. Types ensure that each event and figure is in a list, but not that
 * the service really uses each entry.
 */
const root = join(__dirname, '../../..');
const levels = ['info', 'warn', 'error', 'debug'];

function* sourcesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', '__tests__'].includes(entry.name)) yield* sourcesOf(path);
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) yield path;
  }
}

/** The first argument of `log.warn(…)`, or `event: …`, where it is a text or a choice between texts. */
function eventsIn(node: ts.Node): readonly string[] {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const [first] = node.arguments;
    return first !== undefined && levels.includes(node.expression.name.text) ? textsOf(first) : [];
  }
  const isEvent = ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'event';
  return isEvent ? textsOf(node.initializer) : [];
}

function textsOf(value: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(value)) return [value.text];
  return ts.isConditionalExpression(value) ? [...textsOf(value.whenTrue), ...textsOf(value.whenFalse)] : [];
}

const events = new Set<string>();
const called = new Set<string>();
beforeAll(() => {
  const collect = (node: ts.Node): void => {
    for (const event of eventsIn(node)) events.add(event);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      called.add(node.expression.name.text);
    }
    ts.forEachChild(node, collect);
  };
  for (const room of ['packages', 'apps']) {
    for (const path of sourcesOf(join(root, room))) {
      collect(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
    }
  }
}, 60_000);

test('each event of the list is logged somewhere, and is listed once', () => {
  expect(logEvents.filter((event) => !events.has(event))).toEqual([]);
  expect(new Set(logEvents).size).toBe(logEvents.length);
});

test('each figure is counted somewhere', () => {
  const { contentType: _constant, ...methods } = createMetrics('any');
  expect(Object.keys(methods).filter((name) => !called.has(name))).toEqual([]);
});

test('each figure that the documentation names is exported', async () => {
  const page = readFileSync(join(root, 'docs/reference/status-fields.md'), 'utf8');
  const exported = await createMetrics('any').render();
  const named = page.match(/\baosc_[a-z_]+/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !exported.includes(`# HELP ${name} `))).toEqual([]);
});

import { logEvents } from '@aosc/contract';
import ts from 'typescript';
import { findAround, nodesOf, type Source } from './sources';

const levels = ['error', 'warn', 'info', 'debug'];

/** One place that logs an event. */
interface Emission {
  readonly event: string;
  readonly levels: readonly string[];
  /** as it is written; undefined: made at run time */
  readonly message: string | undefined;
  readonly fields: readonly string[];
  readonly path: string;
}

/** Every place that logs an event of the list. */
export function findEmissions(sources: readonly Source[]): readonly Emission[] {
  const known = new Set<string>(logEvents);
  return sources.flatMap(({ path, file }) =>
    [...nodesOf(file)]
      .filter(ts.isStringLiteral)
      .filter(({ text }) => known.has(text))
      .flatMap((literal) => emissionsOf(literal, path)),
  );
}

function emissionsOf(literal: ts.StringLiteral, path: string): readonly Emission[] {
  const field = findAround(literal, isEventField);
  const calls = field === undefined ? [] : callsWith(field);
  const call = findAround(literal, isLogCall);
  if (field !== undefined && calls.length > 0) {
    const written = new Set(calls.map(({ arguments: [message] }) => textOf(message)));
    const [message] = written;
    return [
      {
        event: literal.text,
        levels: [...new Set(calls.map(levelOf))],
        message: written.size === 1 ? message : undefined,
        fields: fieldsOf(field.parent),
        path,
      },
    ];
  }
  const [first, message, ...rest] = call?.arguments ?? [];
  if (call === undefined || first === undefined || !contains(first, literal)) return [];
  const fields = rest.find(ts.isObjectLiteralExpression);
  return [
    {
      event: literal.text,
      levels: [levelOf(call)],
      message: textOf(message),
      fields: fields === undefined ? [] : fieldsOf(fields),
      path,
    },
  ];
}

type LogCall = ts.CallExpression & { readonly expression: ts.PropertyAccessExpression };

function isLogCall(node: ts.Node): node is LogCall {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return levels.includes(node.expression.name.text);
}

function isEventField(node: ts.Node): node is ts.PropertyAssignment & { parent: ts.ObjectLiteralExpression } {
  return ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'event';
}

/** The calls that log these fields: the call around them, or calls that get the variable which holds them. */
function callsWith(field: ts.PropertyAssignment): readonly LogCall[] {
  const around = findAround(field, isLogCall);
  if (around !== undefined) return [around];
  const variable = findAround(field, ts.isVariableDeclaration);
  if (variable === undefined || !ts.isIdentifier(variable.name)) return [];
  const { text } = variable.name;
  return [...nodesOf(field.getSourceFile())]
    .filter(isLogCall)
    .filter((call) => call.arguments.some((each) => [...nodesOf(each)].some((node) => isNamed(node, text))));
}

const isNamed = (node: ts.Node, text: string): boolean => ts.isIdentifier(node) && node.text === text;
const levelOf = (call: LogCall): string => call.expression.name.text;
const contains = (outer: ts.Node, inner: ts.Node): boolean =>
  inner.pos >= outer.pos && inner.end <= outer.end;

/** A text as it is written, with … in place of each value. */
function textOf(message: ts.Expression | undefined): string | undefined {
  if (message === undefined) return undefined;
  if (ts.isStringLiteralLike(message)) return message.text;
  if (!ts.isTemplateExpression(message)) return undefined;
  const text = [message.head.text, ...message.templateSpans.map((span) => `…${span.literal.text}`)].join('');
  return /[a-z]{2}/.test(text) ? text : undefined;
}

/** Names of the fields of a line, without the event itself. */
function fieldsOf(fields: ts.ObjectLiteralExpression): readonly string[] {
  return fields.properties
    .flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []))
    .filter((name) => name !== 'event');
}

/** The list of events, as Markdown. */
export function renderEvents(emissions: readonly Emission[]): string {
  const events = [...new Set(emissions.map(({ event }) => event))].sort();
  return events
    .map((event) =>
      renderEvent(
        event,
        emissions.filter((place) => place.event === event),
      ),
    )
    .join('\n');
}

function renderEvent(event: string, places: readonly Emission[]): string {
  const own = (read: (place: Emission) => readonly string[]) => [...new Set(places.flatMap(read))];
  const texts = own(({ message }) => (message === undefined ? [] : [`"${message}"`]));
  const fields = own((place) => place.fields);
  return [
    `- \`${event}\` (${own((place) => place.levels).join(', ')}):`,
    texts.length === 0 ? 'the text says what happened.' : `${texts.join(', or ')}.`,
    ...(fields.length === 0 ? [] : [`Fields: ${fields.map((field) => `\`${field}\``).join(', ')}.`]),
    `In ${own(({ path }) => [`\`${path}\``]).join(', ')}.`,
  ].join(' ');
}

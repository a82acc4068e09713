import {
  MigrationOptionsSchema,
  didYouMean,
  quoteValue,
  type ShapeError,
  shorten,
  StartRequestSchema,
  TransformScriptSchema,
  CreateTargetRequestSchema,
  ownValue,
  isObject,
} from '@aosc/contract';
import { describeOptionShape, maxTransientSettings } from './option-problems';

type Problem = ShapeError['problems'][number];

/** Sentences in one answer: a body can have a problem for every ten of its bytes. */
const maxSentences = 20;

/** Fields known at each place of the body. */
const knownFields: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(StartRequestSchema.properties),
  '/options': Object.keys(MigrationOptionsSchema.properties),
  '/transform_script': Object.keys(TransformScriptSchema.properties),
  '/create_target': Object.keys(CreateTargetRequestSchema.properties).filter(
    (name) => name !== 'target_index',
  ),
};

/**
 * Turns the schema's findings into sentences, one for each place of the body, at most {@link maxSentences}.
 * @returns the sentences, and the body without the places they are about, so that the rest can be checked further
 */
export function describeProblems(
  problems: readonly Problem[],
  body: Record<string, unknown>,
): { readonly problems: string[]; readonly usable: Record<string, unknown> } {
  const places = new Set<string>();
  const sentences: string[] = [];
  const usable = structuredClone(body);
  for (const problem of problems) {
    const pointer = pointerOf(problem);
    if (places.has(pointer)) continue;
    places.add(pointer);
    removeAt(usable, topOf(pointer));
    if (places.size <= maxSentences) {
      sentences.push(describe(problem, pointer, valueAt(body, pointer)));
    }
  }
  const left = places.size - sentences.length;
  if (left > 0) sentences.push(`${left} more of the kind`);
  return { problems: sentences, usable };
}

/** Where the problem is: for an unknown or missing field, the field itself. */
function pointerOf({ keyword, instancePath, params }: Problem): string {
  const { additionalProperty, missingProperty } = params as Record<string, unknown>;
  if (keyword === 'additionalProperties') return `${instancePath}/${escapePart(String(additionalProperty))}`;
  if (keyword === 'required') return `${instancePath}/${String(missingProperty)}`;
  return instancePath;
}

function describe(problem: Problem, pointer: string, value: unknown): string {
  const parts = partsOf(pointer);
  const path = shorten(parts.join('.'));
  if (problem.keyword === 'additionalProperties') return describeUnknown(problem.instancePath, parts);
  if (pointer === '/transform_script/type') {
    return value === undefined
      ? 'transform_script.type is required: inline or stored'
      : `unknown transform_script type: ${typeof value === 'string' ? shorten(value) : quoteValue(value)}`;
  }
  const [parent, option, ...rest] = parts;
  if (parent === 'options' && option !== undefined) {
    return describeOptionShape(option, value, rest);
  }
  const name = path === 'target_index' ? 'target.index' : path;
  if (problem.keyword === 'type')
    return `${name} must be ${article(String(problem.schema ?? problem.params['type']))}`;
  return `${name} ${problem.message ?? 'is not valid'}`;
}

function describeUnknown(container: string, parts: readonly string[]): string {
  const name = parts.at(-1) ?? '';
  const hint = didYouMean(name, ownValue(knownFields, container) ?? []);
  return `unknown field [${shorten(parts.join('.'))}]${hint}`;
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

const escapePart = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');
const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of partsOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = ownValue<unknown>(value as Record<string, unknown>, part);
  }
  return value;
}

/** The field of the request (or of its options) that a problem makes unusable. */
function topOf(pointer: string): readonly string[] {
  const parts = partsOf(pointer);
  return parts[0] === 'options' ? parts.slice(0, 2) : parts.slice(0, 1);
}

function removeAt(body: Record<string, unknown>, [first, second]: readonly string[]): void {
  if (first === undefined) return;
  const inner = ownValue(body, first);
  if (second === undefined || typeof inner !== 'object' || inner === null) {
    Reflect.deleteProperty(body, first);
    return;
  }
  Reflect.deleteProperty(inner, second);
}

/**
 * A request without most of its unknown fields, and with only as many settings as a refusal needs: a body of a megabyte
 * can have a hundred thousand, and each of them would become a problem with a place and a sentence.
 * @returns the request with the first unknown fields, as many as the answer names, and the number of those left out
 */
export function dropUnknown(body: Readonly<Record<string, unknown>>): {
  readonly few: Record<string, unknown>;
  readonly left: number;
} {
  let seen = 0;
  const keepFew = (value: Readonly<Record<string, unknown>>, container: string) => {
    const known = new Set(ownValue(knownFields, container));
    const kept = Object.entries(value).filter(([name, each]) => {
      // null is the same as nothing
      if (known.has(name) || each === null) return known.has(name);
      seen += 1;
      return seen <= maxSentences;
    });
    return Object.fromEntries(kept);
  };
  const containers = new Set(['options', 'transform_script', 'create_target']);
  const few = Object.fromEntries(
    Object.entries(keepFew(body, '')).map(([name, inner]) =>
      containers.has(name) && isObject(inner) ? [name, keepFew(inner, `/${name}`)] : [name, inner],
    ),
  );
  return { few: withFewSettings(few), left: Math.max(0, seen - maxSentences) };
}

/** One more than allowed, so that the answer says so and does not judge a hundred thousand settings. */
function withFewSettings(request: Record<string, unknown>): Record<string, unknown> {
  const { options } = request;
  if (!isObject(options)) return request;
  const { transient_target_settings: settings } = options;
  if (!isObject(settings)) return request;
  const kept = Object.fromEntries(Object.entries(settings).slice(0, maxTransientSettings + 1));
  return { ...request, options: { ...options, transient_target_settings: kept } };
}

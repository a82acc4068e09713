/** A part of a JSON Schema, as far as the API's document uses them. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Problem {
  /** names and numbers from the root on */
  readonly path: readonly string[];
  readonly message: string;
}

/** A status of 500 shards has some ten thousand values; a recursion deeper than this is a mistake. */
const maxDepth = 200;
const maxProblems = 50;

/**
 * Holds a value to a schema of the API's own document (`/openapi.json`). Libraries compile schemas to code, which the
 * policy of the page forbids. What this does not know (`description`, `default`, `format`) it passes over.
 * @param resolve gives the schema that a reference names
 * @returns what is wrong, the first {@link maxProblems}
 */
export function checkSchema(
  value: unknown,
  schema: Schema,
  resolve: (reference: string) => Schema | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  check(value, schema, undefined, { problems, resolve });
  return problems;
}

interface Check {
  readonly problems: Problem[];
  readonly resolve: (reference: string) => Schema | undefined;
}

/** Where a value is, told by its last name: a status has thousands of values, and few of them are ever named. */
interface Step {
  readonly name: string;
  readonly before: Step | undefined;
  readonly depth: number;
}
type Path = Step | undefined;

const stepTo = (name: string, before: Path): Step => ({ name, before, depth: (before?.depth ?? 0) + 1 });

function namesOf(path: Path): readonly string[] {
  const names: string[] = [];
  for (let step = path; step !== undefined; step = step.before) names.unshift(step.name);
  return names;
}

function check(value: unknown, schema: Schema, path: Path, context: Check): void {
  if (context.problems.length >= maxProblems) return;
  const say = (message: string): void => void context.problems.push({ path: namesOf(path), message });
  if ((path?.depth ?? 0) > maxDepth) {
    say('is nested too deep');
    return;
  }
  const { $ref, allOf, anyOf, enum: values, const: only } = schema;
  if (typeof $ref === 'string') {
    const target = context.resolve($ref);
    if (target === undefined) say(`has the unknown schema ${$ref}`);
    else check(value, target, path, context);
    return;
  }
  for (const part of schemas(allOf)) check(value, part, path, context);
  const choices = schemas(anyOf);
  if (choices.length > 0 && !choices.some((choice) => fits(value, choice, path, context))) {
    say('fits none of the shapes it may have');
  }
  if (Array.isArray(values) && !values.includes(value)) say(`must be one of ${values.join(', ')}`);
  if (only !== undefined && only !== value) say(`must be ${JSON.stringify(only)}`);
  if (!checkType(value, schema['type'])) {
    say(`must be ${describeType(schema['type'])}`);
    return;
  }
  if (typeof value === 'number') checkNumber(value, schema, say);
  else if (typeof value === 'string') checkText(value, schema, say);
  else if (Array.isArray(value)) {
    const items = asSchema(schema['items']);
    if (items !== undefined)
      value.forEach((item, at) => check(item, items, stepTo(String(at), path), context));
  } else if (isObject(value)) checkObject(value, schema, path, context);
}

function fits(value: unknown, schema: Schema, path: Path, { resolve }: Check): boolean {
  const problems: Problem[] = [];
  check(value, schema, path, { problems, resolve });
  return problems.length === 0;
}

function checkNumber(value: number, schema: Schema, say: (message: string) => void): void {
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number' && value < minimum) say(`must be at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) say(`must be at most ${maximum}`);
}

function checkText(value: string, schema: Schema, say: (message: string) => void): void {
  const { minLength, maxLength } = schema;
  if (typeof minLength === 'number' && value.length < minLength) say('must not be empty');
  if (typeof maxLength === 'number' && value.length > maxLength)
    say(`must have at most ${maxLength} characters`);
}

/** By schema: the 500 shards of a status have the same one. */
const knownProperties = new WeakMap<Schema, ReadonlyMap<string, unknown>>();
function propertiesOf(schema: Schema): ReadonlyMap<string, unknown> {
  const known = knownProperties.get(schema);
  if (known !== undefined) return known;
  const properties = new Map(Object.entries(asSchema(schema['properties']) ?? {}));
  knownProperties.set(schema, properties);
  return properties;
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  path: Path,
  context: Check,
): void {
  const properties = propertiesOf(schema);
  const patterns = Object.values(asSchema(schema['patternProperties']) ?? {});
  const others = schema['additionalProperties'];
  for (const name of texts(schema['required'])) {
    if (!Object.hasOwn(value, name))
      context.problems.push({ path: namesOf(stepTo(name, path)), message: 'is required' });
  }
  for (const [name, inner] of Object.entries(value)) {
    // Every pattern of the document is one for any name.
    const part = asSchema(properties.get(name)) ?? asSchema(patterns[0]) ?? asSchema(others);
    if (part !== undefined) check(inner, part, stepTo(name, path), context);
    else if (others === false)
      context.problems.push({ path: namesOf(stepTo(name, path)), message: 'is not known' });
  }
}

function checkType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  return (Array.isArray(type) ? type : [type]).some((one) => isOfType(value, one));
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function describeType(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map(String).map(article);
  return names.join(' or ');
}

const article = (name: string): string => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`);
const schemas = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isObject) : []);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
const asSchema = (value: unknown): Schema | undefined => (isObject(value) ? value : undefined);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

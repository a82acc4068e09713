import type { Static, TSchema } from '@sinclair/typebox';
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';

const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true });

/** External data did not have the shape it must have. `problems` name the JSON pointers, never the values. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  constructor(
    readonly what: string,
    readonly problems: readonly ErrorObject[],
  ) {
    super(`${what} has an unexpected shape: ${problems.slice(0, 5).map(describeProblem).join('; ')}`);
  }
}

function describeProblem(problem: ErrorObject): string {
  return `${problem.instancePath === '' ? '(root)' : problem.instancePath} ${problem.message ?? problem.keyword}`;
}

/** Parsers whose schemas are not compiled yet. */
const waiting = new Set<() => void>();

/**
 * Returns the function that lets external data in. Its schema is compiled with the first data, or before by
 * {@link compileParsers}.
 * @param what names the data in the error ("answer of _stats", "start request").
 * @returns a parser that returns its argument, typed, or throws {@link ShapeError}.
 */
export function createParser<S extends TSchema>(what: string, schema: S): (value: unknown) => Static<S> {
  let validate: ValidateFunction<Static<S>> | undefined;
  const compile = (): ValidateFunction<Static<S>> => {
    waiting.delete(compile);
    return (validate ??= ajv.compile<Static<S>>(schema));
  };
  waiting.add(compile);
  return (value) => {
    const isValid = validate ?? compile();
    if (isValid(value)) return value;
    throw new ShapeError(what, isValid.errors ?? []);
  };
}

/**
 * Compiles all schemas. A process does so when it starts: a write block is no time for it. A test or a command needs few
 * of them, and saves half a second.
 */
export function compileParsers(): void {
  for (const compile of waiting) compile();
}

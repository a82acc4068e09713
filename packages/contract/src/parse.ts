import type { Static, TSchema } from '@sinclair/typebox';
import Ajv, { type ErrorObject } from 'ajv';

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

/**
 * Compiles a schema once and returns the function that lets external data in.
 * @param what names the data in the error ("answer of _stats", "start request").
 * @returns a parser that returns its argument, typed, or throws {@link ShapeError}.
 */
export function createParser<S extends TSchema>(what: string, schema: S): (value: unknown) => Static<S> {
  const validate = ajv.compile<Static<S>>(schema);
  return (value) => {
    if (validate(value)) return value;
    throw new ShapeError(what, validate.errors ?? []);
  };
}

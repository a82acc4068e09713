import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { answerSchemas } from './generated/schemas.ts';
import type { Schemas } from './generated/types.ts';

/** Answers that have a schema. */
export type AnswerName = Extract<keyof typeof answerSchemas, keyof Schemas>;

const validators = new Map<AnswerName, Validator>();

/** This validator interprets the schemas: a compiling one needs `unsafe-eval`, which no page should allow. */
function validatorOf(name: AnswerName): Validator {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const schema = { $ref: `#/$defs/${name}`, $defs: answerSchemas };
  const made = new Validator(schema, '2020-12', true);
  validators.set(name, made);
  return made;
}

/** Checks an answer. Fields that the schema does not name stay. @returns the answer, or what is wrong with it */
export function parseAnswer<N extends AnswerName>(
  name: N,
  value: unknown,
): { readonly value: Schemas[N] } | { readonly problems: readonly string[] } {
  const { valid, errors } = validatorOf(name).validate(value);
  return valid ? { value: value as Schemas[N] } : { problems: errors.map(describe) };
}

/** The place and the rule. The validator's own words quote values. */
function describe({ instanceLocation, keyword }: OutputUnit): string {
  return `${instanceLocation} does not fit "${keyword}"`;
}

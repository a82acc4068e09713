import { type TSchema, Type } from '@sinclair/typebox';

/* Short forms of what schemas are mostly made of. A description says what a reader of the API's document should know. */

/** It may be absent. */
export const maybe = <S extends TSchema>(schema: S) => Type.Optional(schema);

/** A map whose keys are data. */
export const byName = <S extends TSchema>(schema: S, description?: string) =>
  Type.Record(Type.String(), schema, described(description));

export const text = (description: string) => Type.String({ description });
export const truth = (description: string) => Type.Boolean({ description });
export const integer = (description: string) => Type.Integer({ description });

/** Not negative. */
export const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });

/** One of these words. */
export const oneOf = <const V extends string>(words: readonly V[], description?: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...words], ...described(description) });

const described = (description: string | undefined) => (description === undefined ? {} : { description });

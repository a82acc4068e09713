import { type Static, type TSchema, Type } from '@sinclair/typebox';

/* Short forms of what schemas are mostly made of. A description says what a reader of the API's document should know. */

/** It may be absent. */
export const maybe = <S extends TSchema>(schema: S) => Type.Optional(schema);

/** A map whose keys are data. */
export const byName = <S extends TSchema>(schema: S, description?: string) =>
  Type.Record(Type.String(), schema, described(description));

export const text = (description: string) => Type.String({ description });
export const truth = (description: string) => Type.Boolean({ description });
/** Off unless it is set. */
export const off = (description: string) => Type.Boolean({ default: false, description });
export const integer = (description: string) => Type.Integer({ description });

/** Not negative. */
export const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });

/** A list that nothing changes. */
export const list = <S extends TSchema>(items: S, description?: string) =>
  Type.Unsafe<readonly Static<S>[]>({ type: 'array', items, ...described(description) });

/** One of these words. */
export const oneOf = <const V extends string>(words: readonly V[], description?: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...words], ...described(description) });

const described = (description: string | undefined) => (description === undefined ? {} : { description });

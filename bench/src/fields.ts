/** A field of an answer, undefined when there is none. */
export function readField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** @throws Error when the field is no number */
export function readNumber(value: unknown, name: string): number {
  const field = readField(value, name);
  if (typeof field !== 'number') throw new Error(`an answer without the number ${name}`);
  return field;
}

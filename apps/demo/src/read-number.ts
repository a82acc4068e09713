/** @throws Error when the answer has no such field, or it is no number */
export function readNumber(answer: unknown, field: string): number {
  const value: unknown =
    typeof answer === 'object' && answer !== null
      ? Object.entries(answer).find(([key]) => key === field)?.[1]
      : undefined;
  if (typeof value !== 'number') throw new Error(`an answer without ${field}`);
  return value;
}

/** What the user typed can't be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {UsageError} */
export function parseWhole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && isBetween(value, min, max)) return value;
  throw new UsageError(`${flag} ${text}: expected a whole number from ${min} to ${max}`);
}

/** `A:B`, shards of the source and of the target. @throws {UsageError} */
export function parseShards(text: string, max: number): { sourceShards: number; targetShards: number } {
  const pair = /^(\d+):(\d+)$/.exec(text);
  const [sourceShards, targetShards] = pair === null ? [0, 0] : [Number(pair[1]), Number(pair[2])];
  if (pair === null || !isBetween(sourceShards, 1, max) || !isBetween(targetShards, 1, max)) {
    throw new UsageError(`--shards ${text}: expected two numbers from 1 to ${max}, like 4:8`);
  }
  return { sourceShards, targetShards };
}

/** Has the errors of `parseArgs` shown with the usage. */
export function parseOrExplain<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

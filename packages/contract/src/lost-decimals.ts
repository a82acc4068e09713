import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json';

/** A number of a JSON text that would become another kind of number. */
export interface LostDecimal {
  /** names and positions on the way to it */
  readonly path: readonly string[];
  /** as the text has it */
  readonly token: string;
}

/**
 * The first decimal of a JSON text that is a whole number: JavaScript makes 2 of `2.0` and 1000 of `1e3`, where
 * OpenSearch makes a double of one and an integer of the other. A script that divides by it gets another result. A
 * number beyond a double does not count: its result is unpredictable.
 * @param text JSON that JavaScript can parse
 * @param at the way to the part to search; left out: all of it
 */
export function findLostDecimal(text: string, at: readonly string[] = []): LostDecimal | undefined {
  let part = parse(text, undefined, {
    parseNumber: (token) => (isLost(token) ? new LosslessNumber(token) : 0),
    // As JavaScript does.
    onDuplicateKey: ({ newValue }) => newValue,
  });
  for (const name of at) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = Object.entries(part).find(([key]) => key === name)?.[1];
  }
  return find(part);
}

/** Builds the path on the way back, because there can be many values. */
function find(value: unknown): LostDecimal | undefined {
  if (isLosslessNumber(value)) return { path: [], token: value.value };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = find(inner);
    if (found !== undefined) return { ...found, path: [name, ...found.path] };
  }
  return undefined;
}

function isLost(token: string): boolean {
  const number = Number(token);
  return /[.eE]/.test(token) && Number.isFinite(number) && !/[.e]/.test(String(number));
}

/** What is wrong with it, and what to do. @param name of what the text is */
export function describeLostDecimal(name: string, { path, token }: LostDecimal): string {
  const place = path.length === 0 ? '' : ` at [${path.join('.')}]`;
  return (
    `${name} holds the decimal [${token}]${place}, which would reach the script as an integer; write it into the script ` +
    'itself, or as a text that the script reads with Double.parseDouble'
  );
}

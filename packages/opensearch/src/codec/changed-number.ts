/** A double keeps numbers of this many digits. */
const exactDigits = 15;
/** A text of JSON, whose digits do not count, or a number. */
const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A number of a JSON text that `JSON.parse` may change: it has more digits than a double keeps, or is beyond its range.
 * @returns the number as it is written; undefined when parsing keeps all of them
 */
export function findChangedNumber(json: string): string | undefined {
  for (const [literal] of json.matchAll(textOrNumber)) {
    if (literal.startsWith('"') || isExact(literal)) continue;
    return literal;
  }
  return undefined;
}

function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && String(value) === literal) return true;
  const [mantissa = ''] = literal.toLowerCase().split('e');
  // Leading and trailing zeros are not significant digits.
  const digits = mantissa.replaceAll(/[-.]/g, '');
  const first = digits.search(/[1-9]/);
  if (first === -1) return true;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return value !== 0 && end - first <= exactDigits;
}

/** Digits that every double keeps. */
const exactDigits = 15;
/** A text of JSON, whose digits are none, or a number. */
const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A number of a JSON text that `JSON.parse` may give another value: it has more digits than a double keeps, or is
 * beyond its range.
 * @returns the number as it is written; undefined when all of them are read as they are
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
  // Zeros in front and behind say nothing about the digits that count.
  const digits = mantissa.replaceAll(/[-.]/g, '');
  const first = digits.search(/[1-9]/);
  if (first === -1) return true;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return value !== 0 && end - first <= exactDigits;
}

/** The most that an error quotes of a caller's value. */
const quoteLength = 256;

/** A long text without its end: errors quote requests, and a request can be a megabyte. */
export function shorten(text: string, maxLength: number = quoteLength): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * A value of a request as an error quotes it. Numbers that JSON can't write (1e400) appear as JavaScript read them.
 * @param value from `JSON.parse`; undefined: nothing was sent
 */
export function quoteValue(value: unknown): string {
  return shorten(typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value));
}

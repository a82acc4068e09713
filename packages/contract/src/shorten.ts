/** What an error quotes of a value somebody has sent. */
const quoteLength = 256;

/** A text without its end when it is long: requests are quoted in errors, and a request can be a megabyte. */
export function shorten(text: string, maxLength: number = quoteLength): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * A value of a request as an error quotes it. Numbers that JSON can't write (1e400) show as what they were read as.
 * @param value as `JSON.parse` gives it; undefined: nothing was sent
 */
export function quoteValue(value: unknown): string {
  return shorten(typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value));
}

/**
 * Control characters made visible: texts of the API quote names and documents, and a terminal would obey control
 * characters in them. Line breaks become blanks.
 */
export function plain(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u${hex(character)}`);
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');

/** JSON for programs. Escapes control characters beyond ASCII, which JSON lets through and a terminal would obey. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${hex(character)}`,
  );
}

/** 1234567 -> "1,234,567" */
export function group(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** 1536000 -> "1.5 MB" */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, at] = [bytes, 0];
  while (value >= 999.5 && at < units.length - 1) [value, at] = [value / 1000, at + 1];
  const digits = at === 0 || value >= 99.5 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[at] ?? ''}`;
}

/** 93784 -> "1d 2h"; two units at the most, in whole seconds that have passed, as the API and the page count them */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count], n) => n === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}

/** 0 -> "1970-01-01T00:00:00Z" */
export const timeOf = (millis: number): string => new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z');

/** Counts as a terminal does, nearly: few characters of names have several code points. */
export const codePoints = (text: string): readonly string[] => Array.from(text);

/** Cut to a width, with a mark where something is missing. */
export function fit(text: string, width: number): string {
  const characters = codePoints(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}~`;
}

/** A bar of # and -. @param share from 0 to 1 */
export function bar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `${'#'.repeat(filled)}${'-'.repeat(width - filled)}`;
}

/** Rows in columns; the last column is not filled up. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => codePoints(row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, n) =>
        n === row.length - 1 ? cell : cell + ' '.repeat((widths[n] ?? 0) - codePoints(cell).length),
      )
      .join('  ')
      .trimEnd(),
  );
}

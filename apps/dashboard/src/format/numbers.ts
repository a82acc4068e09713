const prefixes = ['', 'k', 'M', 'G', 'T', 'P'] as const;

/** A number with an SI prefix and three digits: 999, 1.23k, 45.6k docs/s, 1.50 MB. @param unit is put behind */
export function formatSi(value: number, unit = ''): string {
  const sign = value < 0 ? '−' : '';
  let size = Math.abs(value);
  let step = 0;
  // 999.5 would be written as 1000.
  while (size >= 999.5 && step < prefixes.length - 1) {
    size /= 1000;
    step += 1;
  }
  const digits = step === 0 && Number.isInteger(size) ? 0 : size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  const text = `${sign}${size.toFixed(digits)}`;
  const prefix = prefixes[step] ?? '';
  if (unit === '') return `${text}${prefix}`;
  // A prefix belongs to a symbol, and not to a word.
  return unit.startsWith('B') ? `${text} ${prefix}${unit}` : `${text}${prefix} ${unit}`;
}

/** With groups of three: 1,234,567. */
export function formatExact(value: number): string {
  return exact.format(value);
}
const exact = new Intl.NumberFormat('en-US');

/** A share as the API has it; undefined: there is nothing to copy, or nothing is known yet. */
export function formatPercent(percent: number | undefined): string {
  return percent === undefined ? '—' : `${percent} %`;
}

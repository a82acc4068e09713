const prefixes = ['', 'k', 'M', 'G', 'T', 'P'] as const;

/** A number with an SI prefix and three digits: 999, 1.23 k, 45.6 M. @param unit is put behind */
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
  const behind = `${prefixes[step] ?? ''}${unit}`;
  return behind === '' ? text : `${text} ${behind}`;
}

/** With groups of three, as many read numbers: 1 234 567. */
export function formatExact(value: number): string {
  const digits = String(value);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join('\u202f');
}

/** A part of a whole; never 100 % before all is there. */
export function formatPart(done: number, all: number): string {
  if (all <= 0) return done > 0 || all < 0 ? '—' : '100 %';
  const percent = (100 * done) / all;
  if (percent >= 100) return '100 %';
  return `${percent < 10 ? (Math.floor(percent * 10) / 10).toFixed(1) : Math.floor(percent)} %`;
}

/** Just enough of SVG for plots. Numbers are rounded to tenths: the same on every machine. */
export type Attributes = Readonly<Record<string, string | number>>;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeText = (text: string): string => text.replace(/[&<>"]/g, (char) => escapes[char] ?? char);
const show = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : escapeText(value);

export function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${show(value)}"`);
  return `<${name}${written.join('')}${content === undefined ? '/>' : `>${content}</${name}>`}`;
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escapeText(content));

export type Point = readonly [x: number, y: number];

export function line(points: readonly Point[], attributes: Attributes): string {
  const path = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${show(x)} ${show(y)}`).join('');
  return element('path', { d: path, ...attributes });
}

/** The value stays until the next point. */
export function steps(points: readonly Point[], endX: number, attributes: Attributes): string {
  let path = '';
  let last: string | undefined;
  for (const [x, y] of points) {
    const shown = show(y);
    if (shown === last) continue;
    path += last === undefined ? `M${show(x)} ${shown}` : `H${show(x)}V${shown}`;
    last = shown;
  }
  return element('path', { d: last === undefined ? '' : `${path}H${show(endX)}`, ...attributes });
}

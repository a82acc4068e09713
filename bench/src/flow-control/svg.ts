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

/** Readable on a light and on a dark page: the colours follow what the reader's system asks for. */
export const theme = `
svg{--page:#fff;--ink:#1f2328;--faint:#59636e;--grid:#d8dee4;--value:#0969da;--other:#bf8700;--best:#1a7f37;--bad:#cf222e;--band:#8250df}
@media (prefers-color-scheme:dark){svg{--page:#0d1117;--ink:#e6edf3;--faint:#9198a1;--grid:#30363d;--value:#58a6ff;--other:#d29922;--best:#3fb950;--bad:#ff7b72;--band:#bc8cff}}
text{font:12px system-ui,sans-serif;fill:var(--ink)}
.title{font-size:16px;font-weight:600}.head{font-weight:600}.faint{fill:var(--faint);font-size:11px}
.page{fill:var(--page)}.frame{fill:none;stroke:var(--faint)}.grid{stroke:var(--grid)}
`
  .trim()
  .replace(/\n/g, '');

/** What every picture has: its size in pixels, its own rules beside the {@link theme}, and two lines at its top. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly style: string;
  readonly title: string;
  readonly subtitle: string;
}

/** A whole picture. */
export function page({ width, height, style, title, subtitle }: Frame, parts: readonly string[]): string {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' };
  const all = [
    element('title', {}, title),
    element('style', {}, style),
    element('rect', { class: 'page', width, height }),
    text(16, 28, title, { class: 'title' }),
    text(16, 48, subtitle, { class: 'faint' }),
    ...parts,
  ];
  return `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', ...size }, `\n${all.join('\n')}\n`)}\n`;
}

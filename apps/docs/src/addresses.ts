import { posix } from 'node:path';

const pictures = ['.svg', '.png'];

/** Where the site has a file of the project, from the site's first folder. Pages become HTML, all else is copied. */
export function addressOf(path: string): string {
  const place = path.startsWith('docs/') ? path.slice('docs/'.length) : `project/${path}`;
  if (path.endsWith('.md')) return place.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
  // A browser shows text, and would download code and results as files.
  return pictures.includes(posix.extname(path)) ? place : `${place}.txt`;
}

/** The way from one address of the site to another: without a server, too, so it names index.html. */
export function wayBetween(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

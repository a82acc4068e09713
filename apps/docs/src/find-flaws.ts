import { posix } from 'node:path';

/** What a browser loads by itself, or follows when the reader clicks. */
const reference = /<([a-z]+)\b[^>]*?\s(href|src)="([^"]*)"/g;
const elsewhere = /^(?:[a-z]+:)?\/\//i;

/**
 * Looks only at the finished site, however it was made.
 * @param files by their addresses
 * @returns each link that leads nowhere, and each thing that a browser would load from another host
 */
export function findFlaws(files: ReadonlyMap<string, string>): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  for (const [address, text] of files) {
    if (address.endsWith('.html')) anchors.set(address, new Set(matches(text, /\sid="([^"]*)"/g)));
  }
  return [...files].flatMap(([address, text]) => {
    if (address.endsWith('.css')) return flawsOfStyle(address, text);
    if (!address.endsWith('.html')) return [];
    return [...text.matchAll(reference)].flatMap(([, element = '', , raw = '']) => {
      const target = raw.replaceAll('&amp;', '&');
      if (/^mailto:/i.test(target)) return [];
      if (elsewhere.test(target)) {
        return element === 'a' ? [] : [`${address} loads ${target} from another host`];
      }
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? address : posix.normalize(posix.join(posix.dirname(address), decodeURI(file)));
      if (!files.has(to)) return [`${address} leads to ${target}, which is not there`];
      if (anchor === undefined || (anchors.get(to)?.has(decodeURI(anchor)) ?? false)) return [];
      return [`${address} leads to ${target}: that page has no such heading`];
    });
  });
}

function flawsOfStyle(address: string, text: string): readonly string[] {
  const loaded = [...matches(text, /url\(\s*["']?([^"')]*)/g), ...matches(text, /@import\s+["']([^"']*)/g)];
  return loaded
    .filter((target) => elsewhere.test(target))
    .map((target) => `${address} loads ${target} from another host`);
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

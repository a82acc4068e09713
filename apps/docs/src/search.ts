import { addressOf } from './addresses';
import { type Page, textOf } from './page';

/** What a browser loads for the search, from the site's first folder; the last two load at the first search. */
export const searchFiles = {
  program: 'assets/search.js',
  library: 'assets/minisearch.js',
  data: 'assets/search-data.js',
} as const;

/** One heading with the text below it: what a search finds. */
interface Section {
  readonly title: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

/** The sections of a page, each down to the next heading. */
function sectionsOf({ path, title, tokens }: Page): readonly Section[] {
  const sections: Section[] = [];
  let text: string[] = [];
  let begun: Omit<Section, 'text'> = { title, heading: title, address: addressOf(path) };
  const end = (): void => {
    if (text.length > 0) sections.push({ ...begun, text: text.join(' ').replace(/\s+/g, ' ') });
    text = [];
  };
  tokens.forEach((token, at) => {
    if (tokens[at - 1]?.type === 'heading_open') return;
    if (token.type !== 'heading_open') {
      const words = textOf(token);
      if (words !== '') text.push(words);
      return;
    }
    end();
    const inside = tokens[at + 1];
    const heading = inside === undefined ? '' : textOf(inside);
    begun = { title, heading, address: `${addressOf(path)}#${String(token.attrGet('id') ?? '')}` };
  });
  end();
  return sections;
}

/** A script and no JSON file: without a server, a browser loads nothing else. */
export function toSearchData(pages: readonly Page[]): string {
  return `globalThis.aoscSections = ${JSON.stringify(pages.flatMap(sectionsOf))};\n`;
}

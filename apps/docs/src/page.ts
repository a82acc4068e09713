import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';

type Token = MarkdownIt.Token;

// The parser keeps HTML so that `parsePage` finds it, and refuses everything but comments.
const markdown = new MarkdownIt({ html: true });

/** A page of Markdown, taken apart once. */
export interface Page {
  /** from the project's folder */
  readonly path: string;
  readonly title: string;
  readonly tokens: readonly Token[];
}

/** Titles part a page for the search and for its own list of contents. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/**
 * Takes a page apart, and gives its headings the anchors that a forge gives them.
 * @throws when it has no title, or HTML that is no comment: pages are read on a forge as well
 */
export function parsePage(path: string, text: string): Page {
  const tokens = markdown.parse(text, {});
  for (const token of withChildren(tokens)) dropComment(path, token);
  addAnchors(tokens);
  const title = headingsOf(tokens).find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error(`${path} has no title (# …)`);
  return { path, title, tokens };
}

/** The page's own part of the HTML. */
export function renderPage({ tokens }: Page): string {
  return markdown.renderer.render([...tokens], markdown.options, {});
}

function dropComment(path: string, token: Token): void {
  if (token.type !== 'html_block' && token.type !== 'html_inline') return;
  if (!/^\s*<!--[^]*-->\s*$/.test(token.content)) {
    throw new Error(`${path} has HTML: ${token.content.trim().slice(0, 60)}`);
  }
  token.content = '';
}

/** Tokens, each followed by those inside it. */
export function withChildren(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => [token, ...(token.children ?? [])]);
}

/** What a reader sees of a token, without its marks. */
export function textOf(token: Token): string {
  if (token.type === 'fence' || token.type === 'code_block') return token.content;
  return (token.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}

function addAnchors(tokens: readonly Token[]): void {
  const taken = new Map<string, number>();
  tokens.forEach((token, at) => {
    const inside = tokens[at + 1];
    if (token.type !== 'heading_open' || inside === undefined) return;
    const slug = textOf(inside)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    token.attrSet('id', before === 0 ? slug : `${slug}-${before}`);
  });
}

/** Every heading of a page, in order. */
export function headingsOf(tokens: readonly Token[]): readonly Heading[] {
  return tokens.flatMap((token, at) => {
    const inside = tokens[at + 1];
    if (token.type !== 'heading_open' || inside === undefined) return [];
    const anchor = String(token.attrGet('id') ?? '');
    return [{ level: Number(token.tag.slice(1)), text: textOf(inside), anchor }];
  });
}

/** A link or picture of a page that does not lead to another site. */
export interface LocalLink {
  /** from the project's folder; the page itself for a mere anchor */
  readonly file: string;
  /** with its #, or nothing */
  readonly anchor: string;
  readonly replace: (url: string) => void;
}

const linkAttributes = new Map([
  ['link_open', 'href'],
  ['image', 'src'],
]);

/** Every link and picture of a page that leads to a file of the project. */
export function localLinksOf({ path, tokens }: Page): readonly LocalLink[] {
  return withChildren(tokens).flatMap((token) => {
    const attribute = linkAttributes.get(token.type);
    if (attribute === undefined) return [];
    const target = String(token.attrGet(attribute) ?? '');
    if (/^[a-z]+:/i.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    return [
      {
        file: file === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(file))),
        anchor: anchor === undefined ? '' : `#${anchor}`,
        replace: (url: string) => token.attrSet(attribute, url),
      },
    ];
  });
}

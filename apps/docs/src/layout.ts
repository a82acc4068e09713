import { addressOf, wayBetween } from './addresses';
import type { Kind } from './navigation';
import { headingsOf, type Page, renderPage } from './page';
import { searchFiles } from './search';

/** The style sheet, from the site's first folder. */
export const styleFile = 'assets/style.css';

/** Nothing from elsewhere is loaded; `file:` is for a site that is opened without a server. */
const policy = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:";

const escapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);
const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes.get(sign) ?? sign);

/** The whole HTML of a page. Its links must lead to addresses of the site by now. */
export function layOut(page: Page, navigation: readonly Kind[], first: Page): string {
  const here = addressOf(page.path);
  const way = (to: string): string => escape(wayBetween(here, to));
  const link = ({ path, title }: Page): string => {
    const mark = path === page.path ? ' aria-current="page"' : '';
    return `<a href="${way(addressOf(path))}"${mark}>${escape(title)}</a>`;
  };
  const kinds = navigation.map(
    ({ title, pages }) =>
      `<h2>${escape(title)}</h2>\n<ul>${pages.map((each) => `<li>${link(each)}</li>`).join('\n')}</ul>`,
  );
  return `<!doctype html>
<html lang="en" data-root="${escape(wayBetween(here, '.') || '.')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
<title>${escape(page.title)} · AOSC</title>
<link rel="stylesheet" href="${way(styleFile)}">
<script defer src="${way(searchFiles.program)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="name" href="${way(addressOf(first.path))}">AOSC</a>
<search hidden><input type="search" placeholder="Search ( / )" aria-label="Search the documentation" aria-controls="found"
 autocomplete="off"><ul id="found" aria-live="polite" hidden></ul></search>
</header>
<div class="columns">
<nav aria-label="All pages">
${link(first)}
${kinds.join('\n')}
</nav>
<main id="content">
${renderPage(page)}
<footer>This page is <code>${escape(page.path)}</code> of the project.</footer>
</main>
${contentsOf(page)}
</div>
</body>
</html>
`;
}

/** Only where there is something to choose from. */
function contentsOf({ tokens }: Page): string {
  const parts = headingsOf(tokens).filter(({ level }) => level === 2);
  if (parts.length < 2) return '';
  const items = parts.map(({ text, anchor }) => `<li><a href="#${escape(anchor)}">${escape(text)}</a></li>`);
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join('\n')}</ul></aside>`;
}

import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

/** The narrowest screen that the page is made for, and an ordinary one. */
export const widths = [390, 1_280] as const;
export const themes = ['light', 'dark'] as const;

export interface VisitOptions {
  /** CSS pixels, default 1,280 */
  readonly width?: number;
  readonly theme?: (typeof themes)[number];
  /** what the page needs before it is opened */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface Visit {
  readonly page: Page;
  /** Everything that the browser complained about: errors of scripts, of the policy, and requests that were refused. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens the page at a path, in a browser context of its own, without a session. */
export async function visit(
  browser: Browser,
  baseURL: string,
  path: string,
  { width = 1_280, theme = 'light', prepare }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(180_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await prepare?.(page);
  await page.goto(path);
  return { page, complaints, close: () => context.close() };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds against WCAG 2.2 AA. Sent past the page's policy, which lets no script of others in. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const rules = JSON.stringify({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `${axe};axe.run(document, ${rules}).then(({ violations }) => violations
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const found: unknown = result.value;
  if (!Array.isArray(found)) throw new Error('axe did not run');
  return found.map(String);
}

/** How many pixels the page is wider than the screen: people would have to scroll sideways. */
export async function findOverflow(page: Page): Promise<number> {
  const over: unknown = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  if (typeof over !== 'number') throw new Error('the browser does not tell how wide the page is');
  return over;
}

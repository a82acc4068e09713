import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAoscClient } from '@aosc/client';
import { readStatus, startMigration, waitForPhase } from '@aosc/testkit';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser';
import { type Environment, startEnvironment, until } from '../support/environment';
import { startGuardedApi } from '../support/guarded-api';
import { runTool, say } from '../support/long-test';
import { text } from '../support/tool-flags';
import { fileOf, maxPictureBytes, pictures, type PictureName, type Theme, themes } from './manifest';
import { letCopy, planned, prepareScenes, script, shown, startWriters } from './scenes';

/** The copy that is shown has come so far, so that each picture has something to show. */
const shownFrom = 0.3;
const [width, height] = [1_280, 900];

async function run(folder: string) {
  const out = resolve(folder);
  mkdirSync(out, { recursive: true });
  const browser = await startBrowser();
  try {
    const environment = await startEnvironment({ workers: 2 });
    try {
      await takeAll(environment, browser, out);
    } finally {
      await environment.stop();
    }
  } finally {
    await browser.close();
  }
  return { isWrong: false };
}

async function takeAll(environment: Environment, browser: Browser, out: string): Promise<void> {
  await prepareScenes(environment);
  const stopWriters = startWriters(environment, shown.alias);
  try {
    await startMigration(environment.apiUrl, shown);
    await until('a copy that has come far enough', () => hasComeFar(environment));
    say('Taking pictures of the copy');
    const url = environment.apiUrl;
    await take(browser, url, 'fleet', out, (page) => page.getByText(shown.target).first().waitFor());
    await take(browser, url, 'migration', out, showMigration);
    await take(browser, url, 'shard', out, async (page) => {
      await showMigration(page);
      await page.getByRole('button', { name: /^Shard 1:/ }).click();
      await page.getByText('Open snapshots').first().waitFor();
      await page.evaluate('document.querySelector("[aria-label=\'Shard 1\']").scrollIntoView()');
    });
    await take(browser, url, 'plots', out, async (page) => {
      await showMigration(page);
      await page.getByRole('tab', { name: 'Plots' }).click();
      await page.locator('.plot canvas').first().waitFor();
      await page.evaluate('document.querySelector("[role=tablist]").scrollIntoView()');
    });
    await letCopy(environment);
    await waitForPhase(url, shown.source, ['COMPLETED']);
    await take(browser, url, 'report', out, (page) =>
      page.getByText(`Delete ${shown.source} when`).waitFor(),
    );
  } finally {
    await stopWriters();
  }
  await takeForms(environment, browser, out);
}

async function takeForms(environment: Environment, browser: Browser, out: string): Promise<void> {
  const url = environment.apiUrl;
  await take(browser, url, 'start', out, fillStart);
  await take(browser, url, 'transform', out, async (page) => {
    await fillStart(page);
    await page.locator('summary').filter({ hasText: 'Transform' }).click();
    await page.getByLabel('Painless script').fill(script);
    await page.getByRole('button', { name: 'Try it on documents of the source' }).click();
    await page.getByRole('insertion').first().waitFor();
    await page.evaluate('document.querySelector("[aria-label=More]").scrollIntoView()');
  });
  await take(browser, url, 'settings', out, (page) =>
    page.getByText('aosc.backfill.max_concurrent_per_node').first().waitFor(),
  );
  await take(browser, url, 'state', out, async (page) => {
    await page.getByRole('button', { name: 'Show what would be done' }).last().click();
    await page.getByRole('heading', { name: 'What would be done' }).waitFor();
  });
  const guarded = await startGuardedApi(environment);
  try {
    await take(browser, guarded.url, 'sign-in', out, () => Promise.resolve());
  } finally {
    await guarded.stop();
  }
}

async function hasComeFar({ apiUrl }: Environment): Promise<boolean> {
  const { phase, shards } = await readStatus(apiUrl, shown.source);
  if (phase !== 'ACTIVE') throw new Error(`the copy to show has gone on to ${phase}: it was too fast`);
  return Object.values(shards).every(
    ({ backfill, progress }) =>
      (backfill?.documents_indexed ?? 0) > shownFrom * (progress?.total_documents ?? Infinity),
  );
}

async function showMigration(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Shard 0:/ }).waitFor();
}

async function fillStart(page: Page): Promise<void> {
  await page.getByLabel('Source index').fill(planned.source);
  // The form takes over the one alias that the index has.
  await page.getByRole('option', { name: planned.source }).click();
  await page.getByLabel('Target index').fill(planned.target);
  await page.getByText(`${planned.target} is made like`).waitFor();
}

/** One page in both themes. @param show brings it to what the picture is of */
async function take(
  browser: Browser,
  baseURL: string,
  name: PictureName,
  out: string,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  for (const theme of themes) await takeOne(browser, { baseURL, name, theme, out }, show);
}

async function takeOne(
  browser: Browser,
  { baseURL, name, theme, out }: { baseURL: string; name: PictureName; theme: Theme; out: string },
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(180_000);
    const route = pictures.find((picture) => picture.name === name)?.route ?? '/';
    await page.goto(await pathOf(route, baseURL));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (name !== 'sign-in') await page.getByText('Live', { exact: true }).waitFor();
    await show(page);
    // What was last pressed has a frame around it, which the next visitor does not see.
    await page.evaluate('document.activeElement?.blur()');
    const bytes = await page.screenshot({ clip: await contentOf(page) });
    const file = fileOf(name, theme);
    if (bytes.length > maxPictureBytes) throw new Error(`${file} has ${bytes.length} bytes`);
    writeFileSync(join(out, file), bytes);
    say(`${file}: ${Math.round(bytes.length / 1000)} kB`);
  } finally {
    await context.close();
  }
}

async function pathOf(route: string, url: string): Promise<string> {
  const path = route.replace(':index', shown.source);
  if (!path.includes(':id')) return path;
  const { migration_id: id } = await createAoscClient({ url }).status(shown.source);
  return path.replace(':id', encodeURIComponent(id));
}

/** The picture ends where the page does. */
async function contentOf(page: Page) {
  const box = await page.locator('#content').boundingBox();
  const bottom = box === null ? height : box.y + box.height;
  return { x: 0, y: 0, width, height: Math.min(height, Math.ceil(bottom)) };
}

runTool({
  name: 'pictures',
  about:
    'Runs migrations on real servers, under writers, and takes pictures of each page of the dashboard, in light and in dark.',
  notes:
    'Reduce them to a palette of 128 colours before you commit them (pngquant): a third of the bytes, with no difference to see.',
  flags: { out: text('FOLDER', 'where they go', 'docs/images') },
  run: ({ out }) => run(out),
});

import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { bigSource } from './recorded';
import { type RecordedApi, startRecordedApi } from './recorded-api';
import { computedOf, findMainThread, longestOf, parseTrace, totalOf } from './trace';

/** Of the two pages that have the most to draw. */
export const paths = [
  ['fleet, 1,000 migrations', '/'],
  ['migration, 500 shards', `/migrations/${bigSource}`],
] as const;

export interface UpdateFigures {
  readonly updates: number;
  /** main thread, on average for each update, whatever else it did meanwhile */
  readonly meanMs: number;
  /** the same without the time in which others had the processor */
  readonly meanCpuMs: number;
  /** the longest that it was busy without a break */
  readonly longestMs: number;
  /** JavaScript's heap after a collection: before the updates, in the middle, and after them */
  readonly heapBytes: readonly number[];
}

/** Of the traced updates: each has long been drawn when the next one comes. */
const tracedEveryMs = 500;
const throttle = 4;

/** What was drawn last is painted after them. */
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const largestPaint = `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
  .observe({ type: 'largest-contentful-paint', buffered: true }))`;

/** Updates of everything on a page, traced; then as many as `updates`, so often, that memory is looked at over. */
export async function measureUpdates(
  browser: Browser,
  path: string,
  { updates, everyMs }: { readonly updates: number; readonly everyMs: number },
): Promise<UpdateFigures> {
  const api = await startRecordedApi();
  const page = await browser.newPage({ baseURL: api.url, viewport: { width: 1_280, height: 900 } });
  try {
    await openLive(page, path);
    const devtools = await page.context().newCDPSession(page);
    await runUpdates(api, 5, tracedEveryMs);
    const heapBytes = [await heapOf(devtools)];
    await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    const traced = Math.min(updates, 20);
    await runUpdates(api, traced, tracedEveryMs);
    const tasks = findMainThread(parseTrace(await browser.stopTracing()));
    await runUpdates(api, Math.ceil(updates / 2), everyMs);
    heapBytes.push(await heapOf(devtools));
    await runUpdates(api, Math.floor(updates / 2), everyMs);
    heapBytes.push(await heapOf(devtools));
    return {
      updates: traced,
      meanMs: totalOf(tasks) / traced,
      meanCpuMs: computedOf(tasks) / traced,
      longestMs: longestOf(tasks),
      heapBytes,
    };
  } finally {
    await page.context().close();
    await api.close();
  }
}

export interface PaintTimes {
  /** ms until the first text was there */
  readonly first: number;
  /** ms until the largest part of the view was there: its data */
  readonly largest: number;
}

/** When the page was seen, with a processor that is four times slower. @returns one for each run */
export async function measureFirstPaint(
  browser: Browser,
  path: string,
  runs: number,
): Promise<readonly PaintTimes[]> {
  const api = await startRecordedApi();
  const times: PaintTimes[] = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const page = await browser.newPage({ baseURL: api.url, viewport: { width: 1_280, height: 900 } });
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttle });
      await openLive(page, path);
      await page.evaluate(twoFrames);
      const first = await page.evaluate(
        'performance.getEntriesByName("first-contentful-paint")[0]?.startTime',
      );
      const largest = await page.evaluate(largestPaint);
      if (typeof first !== 'number' || typeof largest !== 'number')
        throw new Error('the browser tells no first or largest paint');
      times.push({ first, largest });
      await page.context().close();
    }
  } finally {
    await api.close();
  }
  return times;
}

async function openLive(page: Page, path: string): Promise<void> {
  page.setDefaultTimeout(180_000);
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

async function runUpdates(api: RecordedApi, count: number, everyMs: number): Promise<void> {
  if (api.followers() === 0) throw new Error('no page follows the events');
  for (let n = 0; n < count; n += 1) {
    api.update();
    await sleep(everyMs);
  }
}

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize;
}

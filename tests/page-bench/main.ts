import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser';
import { startEnvironment } from '../support/environment';
import { runTool, say, sayLoad } from '../support/long-test';
import { choice, type Values, whole } from '../support/tool-flags';
import { measureFirstPaint, measureUpdates, paths } from './measure-page';
import { measureStreams, type StreamFigures } from './measure-streams';

const flags = {
  updates: whole("that memory is looked at over; an hour of the API's looks is 1800", 2, 200),
  every: whole('milliseconds from one of them to the next; the API looks every two seconds', 1, 500),
  runs: whole('first paints of each page', 1, 5),
  pages: whole('open pages', 1, 200),
  seconds: whole('that they are looked at', 1, 30),
  skip: choice('PART', ['page', 'streams'], 'is left out'),
};
const goals = { updateMs: 50, firstPaintMs: 1_500 } as const;

async function run({ updates, every, runs, pages, seconds, skip }: Values<typeof flags>) {
  if (skip !== 'page') {
    const browser = await startBrowser();
    try {
      await reportPage(browser, { updates, everyMs: every, runs });
    } finally {
      await browser.close();
    }
  }
  if (skip !== 'streams') await reportStreams(pages, seconds);
  return { isWrong: false };
}

async function reportPage(
  browser: Browser,
  { runs, ...wanted }: { readonly updates: number; readonly everyMs: number; readonly runs: number },
): Promise<void> {
  for (const [name, path] of paths) {
    const found = await measureUpdates(browser, path, wanted);
    const heap = found.heapBytes.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(', ');
    say(
      `${name}: an update takes ${found.meanMs.toFixed(1)} ms of the main thread, ` +
        `${found.meanCpuMs.toFixed(1)} ms of them computing (goal ${goals.updateMs})`,
    );
    say(`${name}: longest task ${found.longestMs.toFixed(1)} ms, over ${found.updates} updates`);
    say(
      `${name}: heap before, in the middle of and after ${wanted.updates} updates, one every ${wanted.everyMs} ms: ${heap}`,
    );
    const paints = await measureFirstPaint(browser, path, runs);
    say(
      `${name}: CPU 4 times slower, ${runs} times: first paint ${describe(paints.map(({ first }) => first))} ` +
        `(goal ${goals.firstPaintMs}), largest paint ${describe(paints.map(({ largest }) => largest))}`,
    );
    sayLoad();
  }
}

function describe(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const [median = Number.NaN, most = Number.NaN] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return `median ${median.toFixed(0)} ms, most ${most.toFixed(0)} ms`;
}

async function reportStreams(pages: number, seconds: number): Promise<void> {
  const environment = await startEnvironment({});
  try {
    tell('nobody', await measureStreams(environment, { pages: 0, seconds }));
    tell('one page', await measureStreams(environment, { pages: 1, seconds }));
    tell(`${pages} pages`, await measureStreams(environment, { pages, seconds }));
    const deaf = Math.min(pages, 100);
    tell(
      `one page, and ${deaf} clients that take nothing`,
      await measureStreams(environment, { pages: 1, deaf, seconds }),
    );
    tell('one page after them', await measureStreams(environment, { pages: 1, seconds }));
    sayLoad();
  } finally {
    await environment.stop();
  }
}

function tell(what: string, { apiShare, reads, residentBytes }: StreamFigures): void {
  say(
    `${what}: ${(100 * apiShare).toFixed(1)} % of a core in the API, ${reads.toFixed(2)} reads of .aosc-migrations ` +
      `a second, ${(residentBytes / 1e6).toFixed(0)} MB`,
  );
}

runTool({
  name: 'page-bench',
  about: `What the page costs: updates of 1,000 migrations and of 500 shards, the first paint with a processor that is four times
slower, memory over many updates, and what open pages cost the API. Prints the figures with the machine's load, and
holds them to nothing. On Linux only.`,
  flags,
  run,
});

import { availableParallelism, loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser';
import { startEnvironment } from '../support/environment';
import { parseFlags, parseWhole, runTool, say } from '../support/long-test';
import { measureFirstPaint, measureUpdates, paths } from './measure-page';
import { measureStreams, type StreamFigures } from './measure-streams';

const usage = `npm run page-bench -- [options]

What the page costs: updates of 1,000 migrations and of 500 shards, the first paint with a processor that is four times
slower, memory over many updates, and what open pages cost the API. Prints the figures with the machine's load, and
holds them to nothing. On Linux only.

  --updates N    that memory is looked at over (default 200; an hour of the API's looks is 1800)
  --every MS     from one of them to the next (default 500; the API looks every two seconds)
  --runs N       first paints of each page (default 5)
  --pages N      open pages (default 200)
  --seconds N    that they are looked at (default 30)
  --skip PART    page or streams: is left out
  --help         show this`;

const goals = { updateMs: 50, firstPaintMs: 1_500 } as const;

async function main(args: readonly string[]): Promise<number> {
  const flags = parseFlags(args, {
    updates: { type: 'string', default: '200' },
    every: { type: 'string', default: '500' },
    runs: { type: 'string', default: '5' },
    pages: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    skip: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (flags.help) {
    say(usage);
    return 0;
  }
  if (flags.skip !== 'page') {
    const browser = await startBrowser();
    try {
      const wanted = {
        updates: parseWhole('--updates', flags.updates, 2),
        everyMs: parseWhole('--every', flags.every, 1),
        runs: parseWhole('--runs', flags.runs, 1),
      };
      await reportPage(browser, wanted);
    } finally {
      await browser.close();
    }
  }
  if (flags.skip !== 'streams') {
    await reportStreams(parseWhole('--pages', flags.pages, 1), parseWhole('--seconds', flags.seconds, 1));
  }
  return 0;
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

function sayLoad(): void {
  say(
    `${availableParallelism()} processors, load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  );
}

runTool(usage, main);

import type { Browser } from 'playwright-core';
import { startBrowser } from './browser';
import { type Environment, startEnvironment } from './environment';
import { type Visit, visit, type VisitOptions } from './visit-page';

/** Servers and a browser for the tests of one file. */
export interface PageTests {
  readonly environment: Environment;
  readonly browser: Browser;
  /** Opens the page at a path. */
  readonly open: (path: string, options?: VisitOptions) => Promise<Visit>;
  /** No shard begins while the work runs, so that a migration stays where it is. */
  readonly whileHeld: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Starts both before the tests of a file, and stops them after. */
export function startPageTests(): PageTests {
  let started: { readonly environment: Environment; readonly browser: Browser } | undefined;
  const running = () => {
    if (started === undefined) throw new Error('the servers have not started yet');
    return started;
  };
  const setPermits = (permits: string | null): Promise<void> =>
    running().environment.putSettings({ 'aosc.backfill.max_concurrent_per_node': permits });
  beforeAll(async () => {
    const browser = await startBrowser();
    started = { browser, environment: await startEnvironment({}) };
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.environment.stop();
  });
  return {
    get environment() {
      return running().environment;
    },
    get browser() {
      return running().browser;
    },
    open: (path, options) => visit(running().browser, running().environment.apiUrl, path, options),
    async whileHeld(work) {
      await setPermits('0');
      try {
        return await work();
      } finally {
        await setPermits(null);
      }
    },
  };
}

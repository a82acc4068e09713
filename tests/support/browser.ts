import { requireCommand } from '@aosc/local-stack';
import { type Browser, chromium } from 'playwright-core';

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * A browser without a window; installed when it is missing and can be.
 * @throws Error with one line that says what to install
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await requireCommand('chromium', 'chromium', process.env, log);
  // Its sandbox needs rights that containers and root do not give; it opens nothing but pages of the test.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

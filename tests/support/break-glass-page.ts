import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readBlocks } from './page-blocks';

const run = promisify(execFile);
const timeoutMs = 60_000;

/** The names that the page has in its commands. */
export const namesOnThePage = { source: 'cities-v1', target: 'cities-v2', alias: 'cities' } as const;

/**
 * Runs the shell blocks of docs/how-to/break-glass.md, one after the other in one shell.
 * @param url takes the place of the address on the page
 * @param names take the places of those on the page
 * @returns what the commands have printed
 */
export async function followThePage(
  url: string,
  names: { readonly source: string; readonly target: string; readonly alias: string } = namesOnThePage,
): Promise<string> {
  const blocks = readBlocks('docs/how-to/break-glass.md', 'sh');
  const script = blocks
    .join('\necho\n')
    .replace('OS=http://127.0.0.1:9200', `OS=${url}`)
    .replace(`SOURCE=${namesOnThePage.source}`, `SOURCE=${names.source}`)
    .replace(`TARGET=${namesOnThePage.target}`, `TARGET=${names.target}`)
    .replace(`ALIAS=${namesOnThePage.alias}`, `ALIAS=${names.alias}`);
  if (blocks.length === 0 || !script.includes(`SOURCE=${names.source}\n`)) {
    throw new Error('docs/how-to/break-glass.md has no commands, or other names than expected');
  }
  const { stdout } = await run('bash', ['-euc', script], { timeout: timeoutMs });
  return stdout;
}

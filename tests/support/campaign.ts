import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { readCommit } from '@aosc/testkit';

/** What the repository keeps of long runs: their results themselves stay in a folder that git ignores. */
const folder = join(__dirname, '../../docs/reliability');

/** Adds one line about a run. @param figures what it came to, by name @returns the file */
export function keepCampaign(tool: string, figures: Readonly<Record<string, number | string>>): string {
  const file = join(folder, 'campaigns.jsonl');
  const line = {
    tool,
    command: [`npm run ${tool} --`, ...process.argv.slice(2)].join(' '),
    at: new Date().toISOString(),
    commit: readCommit(),
    machine: { cpus: cpus().length, loadAfter: Math.round(loadavg()[0] ?? 0) },
    figures,
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  return file;
}

/** Replaces what a page has below its mark; people write what stands above. @returns the page */
export async function writeReport(tool: string, markdown: string): Promise<string> {
  // Not before it is needed: the tests of what pages say run where it cannot be loaded.
  const { format } = await import('prettier');
  const page = join(folder, `${tool}.md`);
  const mark = `<!-- what follows is written by npm run ${tool} -- --report -->`;
  const [head, ...tail] = readFileSync(page, 'utf8').split(mark);
  if (head === undefined || tail.length !== 1) throw new Error(`${page} needs one line ${mark}`);
  const whole = `${head}${mark}\n\n${markdown}\n`;
  writeFileSync(page, await format(whole, { parser: 'markdown', printWidth: 110 }));
  return page;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

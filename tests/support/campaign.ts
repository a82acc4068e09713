import { appendFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { say } from './long-test';

/** One line for each long run that the repository keeps; the results themselves stay in a folder that git ignores. */
const file = join(__dirname, '../../docs/reliability/campaigns.jsonl');

export const keepUsage = '  --keep           adds a line about this run to docs/reliability/campaigns.jsonl';

/** @param figures what it came to, by name; numbers and short texts */
export function keepCampaign(
  tool: string,
  commit: string,
  figures: Readonly<Record<string, number | string>>,
): void {
  const line = {
    tool,
    command: [`npm run ${tool} --`, ...process.argv.slice(2)].join(' '),
    at: new Date().toISOString(),
    commit,
    machine: { cpus: cpus().length, loadAfter: Math.round(loadavg()[0] ?? 0) },
    figures,
  };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  say(`kept in ${file}`);
}

/** How often each text comes. */
export function countEach(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)));
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from './long-test';

/** Pages under docs/ that a long test writes from its results. */
export async function writePage(path: string, markdown: string): Promise<void> {
  // Not before it is needed: the tests of what pages say run where it cannot be loaded.
  const { format } = await import('prettier');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await format(markdown, { parser: 'markdown', printWidth: 110 }));
  say(path);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

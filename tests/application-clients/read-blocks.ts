import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = join(__dirname, '../../docs/how-to/let-clients-retry.md');

/** The code in one language that the page for applications shows, block by block. */
export function readBlocks(language: 'js' | 'python' | 'java' | 'json'): readonly string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].filter(([, name]) => name === language).map(([, , text = '']) => text);
}

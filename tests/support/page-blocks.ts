import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/**
 * The code that a page shows, block by block, those inside lists as well.
 * @param page its path in the project
 * @param languages what the fences name; '' is a block that names none
 */
export function readBlocks(page: string, ...languages: readonly string[]): readonly string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms);
  return [...blocks]
    .filter(([, , language = '']) => languages.includes(language))
    .map(([, , , text = '']) => text);
}

import { readFileSync, writeFileSync } from 'node:fs';
import { pages } from './pages';

/** `npm run generate:catalogue` */
async function main(): Promise<void> {
  for (const { path, renew } of pages) writeFileSync(path, await renew(readFileSync(path, 'utf8')));
}

void main();

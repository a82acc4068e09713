import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from 'prettier';
import { generateFiles } from './generate';

/** `npm run generate:client` writes the generated files; with `--check` it fails when they are others. */
async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check');
  for (const [name, text] of await generateFiles((await resolveConfig(__filename)) ?? {})) {
    const path = join(__dirname, '../generated', name);
    if (!isCheck) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text)
      throw new Error(`${name} is stale: npm run generate:client`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { drawAll, plotFolder } from './plots';

/** `npm run plots`: writes the plots of docs/concepts/flow-control.md. */
mkdirSync(plotFolder, { recursive: true });
for (const { name, svg } of drawAll()) {
  const path = join(plotFolder, name);
  writeFileSync(path, svg);
  console.log(relative(process.cwd(), path));
}

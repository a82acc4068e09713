import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { makeSite } from './make-site';

/** `npm run docs`: makes the site, and fails when it has a flaw. */
const root = join(__dirname, '../../..');
const folder = join(root, 'dist/docs');

const { files, flaws } = makeSite(root);
if (flaws.length > 0) {
  console.error(flaws.join('\n'));
  console.error(`${flaws.length} flaw(s): no site was made`);
  process.exitCode = 1;
} else {
  rmSync(folder, { recursive: true, force: true });
  let bytes = 0;
  for (const [address, content] of files) {
    const path = join(folder, address);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    bytes += Buffer.byteLength(content);
  }
  const pages = [...files.keys()].filter((address) => address.endsWith('.html')).length;
  console.log(`${pages} pages, ${(bytes / 1024 / 1024).toFixed(1)} MB`);
  console.log(
    `Open ${relative(process.cwd(), join(folder, 'index.html'))} in a browser; it needs no server.`,
  );
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** made once, when it is first asked for */
  readonly compressed: () => Promise<Buffer>;
  /** its name changes with its content */
  readonly isFixed: boolean;
}

/** The page: some files of some hundred kilobytes, which stay in memory. */
export interface PageFiles {
  readonly index: PageFile;
  /** by path, as it is asked for */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const types: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
]);
/** A build has less than one; more is not this page. */
const maxBytes = 20_000_000;
const compress = promisify(gzip);

/** Built beside the API, whether it runs from `src` or from `dist`. */
const builtPage = join(__dirname, '../../../dashboard/dist/page');

/** @returns undefined: the page was not built */
export function readPageFiles(folder: string = builtPage): PageFiles | undefined {
  if (!statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile()) return undefined;
  const files = new Map<string, PageFile>();
  let size = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types.get(entry.name.split('.').at(-1) ?? '');
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    size += bytes.length;
    if (size > maxBytes) throw new Error(`${folder} has more than ${maxBytes} bytes: it is not the page`);
    files.set(`/${relative(folder, path).split(sep).join('/')}`, toFile(entry.name, type, bytes));
  }
  const index = files.get('/index.html');
  files.delete('/index.html');
  return index && { index, assets: files };
}

function toFile(name: string, type: string, bytes: Buffer): PageFile {
  let compressed: Promise<Buffer> | undefined;
  return {
    type,
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    compressed: () => (compressed ??= compress(bytes, { level: 9 })),
    isFixed: /-[\w-]{8}\.(?:js|css)$/.test(name),
  };
}

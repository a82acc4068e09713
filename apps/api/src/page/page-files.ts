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

/** The page and the documentation: files of a few megabytes, which stay in memory. */
export interface PageFiles {
  readonly index: PageFile;
  /** by path, as it is asked for */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const types: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain; charset=utf-8'],
]);
/** A build has less than one; more is not this page. */
const maxBytes = 20_000_000;
const compress = promisify(gzip);

/** Built beside the API, whether it runs from `src` or from `dist`. */
const built = {
  page: join(__dirname, '../../../dashboard/dist/page'),
  docs: join(__dirname, '../../../../dist/docs'),
} as const;

/** This mark shows the page that its links to the documentation lead somewhere. */
const docsMark = '<meta name="aosc-docs" content="/docs/" />';

/**
 * The page, and at `/docs/` the site of the documentation where it was made.
 * @returns undefined: the page was not built
 */
export function readPageFiles({ page, docs } = built): PageFiles | undefined {
  if (!hasIndex(page)) return undefined;
  const assets = readFolder(page);
  const index = assets.get('/index.html');
  assets.delete('/index.html');
  if (index === undefined || !hasIndex(docs)) return index && { index, assets };
  for (const [path, file] of readFolder(docs)) assets.set(`/docs${path}`, file);
  const marked = index.bytes.toString('utf8').replace('</head>', `${docsMark}</head>`);
  return { index: toFile('index.html', index.type, Buffer.from(marked)), assets };
}

const hasIndex = (folder: string): boolean =>
  statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile() === true;

function readFolder(folder: string): Map<string, PageFile> {
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
  return files;
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

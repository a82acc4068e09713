import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** One file of the page, as it is sent. */
export interface PageFile {
  /** the end of its name, which says what it is */
  readonly extension: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** made once, when it is first asked for */
  readonly compressed: () => Buffer;
  /** its name changes with its content */
  readonly isFixed: boolean;
}

/** The page and the documentation: files of a few megabytes, which stay in memory. */
export interface PageFiles {
  readonly index: PageFile;
  /** by path, as it is asked for */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** All that a build consists of. */
const kinds: ReadonlySet<string> = new Set(['.css', '.html', '.js', '.png', '.svg', '.txt']);

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
  const [assets, pages] = [readFolder(page), readFolder(docs)];
  const index = assets.get('/index.html');
  assets.delete('/index.html');
  if (index === undefined || !pages.has('/index.html')) return index && { index, assets };
  for (const [path, file] of pages) assets.set(`/docs${path}`, file);
  const marked = index.bytes.toString('utf8').replace('</head>', `${docsMark}</head>`);
  return { index: toFile('index.html', Buffer.from(marked)), assets };
}

function readFolder(folder: string): Map<string, PageFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => kinds.has(extname(name)))
      .map((name) => [`/${name.split(sep).join('/')}`, toFile(name, readFileSync(join(folder, name)))]),
  );
}

function toFile(name: string, bytes: Buffer): PageFile {
  let compressed: Buffer | undefined;
  return {
    extension: extname(name),
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    compressed: () => (compressed ??= gzipSync(bytes, { level: 9 })),
    isFixed: /-[\w-]{8}\.(?:js|css)$/.test(name),
  };
}

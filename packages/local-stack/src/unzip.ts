import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';

const fileType = 0o170000;
const regularFile = 0o100000;

/**
 * Unpacks an archive and checks length and CRC of every file in it; execution bits are kept, everything is made
 * readable to all. Neither `unzip` nor a JDK's `jar` can be counted on, and `jar` drops the bits.
 * @throws Error on a damaged archive, and on names that lead out of `folder`; what was unpacked then stays
 */
export async function unzip(
  zipFile: string,
  folder: string,
  signal?: AbortSignal,
  onFile: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  // It refuses absolute names, and those with `..` or a backslash in them, and content that is longer or shorter than
  // its entry says.
  const archive = await openPromise(zipFile, { strictFileNames: true, validateEntrySizes: true });
  let done = 0;
  for await (const entry of archive.eachEntry()) {
    signal?.throwIfAborted();
    onFile((done += 1), archive.entryCount);
    const path = join(folder, entry.fileName);
    const isFolder = entry.fileName.endsWith('/');
    await mkdir(isFolder ? path : dirname(path), { recursive: true, mode: 0o755 });
    if (isFolder) continue;
    const file = createWriteStream(path, { mode: modeOf(entry) });
    const content = await archive.openReadStreamPromise(entry);
    await pipeline(content, (chunks: AsyncIterable<Buffer>) => checked(chunks, entry), file, {
      ...(signal !== undefined && { signal }),
    });
  }
}

function modeOf({ externalFileAttributes, fileName }: Entry): number {
  // Unix file type and permissions; 0 when the archive was made elsewhere.
  const mode = externalFileAttributes >>> 16;
  if ((mode & fileType) !== 0 && (mode & fileType) !== regularFile) {
    throw new Error(`the zip file holds something that is no plain file: ${fileName}`);
  }
  return (mode & 0o111) === 0 ? 0o644 : 0o755;
}

/** The library leaves the checksum to its caller. */
async function* checked(chunks: AsyncIterable<Buffer>, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) {
    throw new Error(`the zip file is damaged: ${entry.fileName} has another checksum than it should have`);
  }
}

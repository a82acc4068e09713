import { type FileHandle } from 'node:fs/promises';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Unix file type and permissions; 0 when the archive was made elsewhere. */
  readonly mode: number;
  readonly localHeaderOffset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endBytes = 22;
const entryBytes = 46;
const maxCommentBytes = 0xffff;

/**
 * The central directory of a zip file (APPNOTE 4.3.12, 4.3.16), which lies at its end: a file cut short has none.
 * @throws Error when the file is no zip, is damaged, or needs zip64
 */
export async function readZipEntries(file: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await readBytes(file, Math.max(0, size - endBytes - maxCommentBytes), size);
  const end = findEnd(tail);
  const count = end.readUInt16LE(10);
  const directoryBytes = end.readUInt32LE(12);
  const offset = end.readUInt32LE(16);
  if (count === 0xffff || offset === 0xffffffff) throw new Error('zip64 archives are not supported');
  return parseDirectory(await readBytes(file, offset, offset + directoryBytes), count);
}

/** The bytes `[from, to)` of a file, all of them. */
export async function readBytes(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, to - from));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) throw new Error('the zip file ends too early');
    filled += bytesRead;
  }
  return buffer;
}

function findEnd(tail: Buffer): Buffer {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === endSignature) return tail.subarray(at);
  }
  throw new Error('not a complete zip file: it has no central directory');
}

function parseDirectory(directory: Buffer, count: number): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (directory.length < at + entryBytes || directory.readUInt32LE(at) !== entrySignature) {
      throw new Error('the central directory of the zip file is damaged');
    }
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + entryBytes, at + entryBytes + nameBytes),
      method: directory.readUInt16LE(at + 10),
      crc32: directory.readUInt32LE(at + 16),
      compressedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      mode: directory.readUInt32LE(at + 38) >>> 16,
      localHeaderOffset: directory.readUInt32LE(at + 42),
    });
    at += entryBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

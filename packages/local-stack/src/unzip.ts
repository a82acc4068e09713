import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { readBytes, readZipEntries, type ZipEntry } from './zip-entries';

const inflate = promisify(inflateRaw);
const stored = 0;
const deflated = 8;
const localHeaderBytes = 30;
const fileType = 0o170000;
const regularFile = 0o100000;

/**
 * Unpacks an archive and checks length and CRC of every file in it; execution bits are kept, everything is made
 * readable to all. Done here because neither `unzip` nor a JDK's `jar` can be counted on, and `jar` drops the bits.
 * @throws Error on a damaged archive, and on names that lead out of `folder`; what was unpacked then stays
 */
export async function unzip(zipFile: string, folder: string, signal?: AbortSignal): Promise<void> {
  const file = await open(zipFile, 'r');
  try {
    for (const entry of await readZipEntries(file)) {
      signal?.throwIfAborted();
      const path = join(folder, safeName(entry));
      await mkdir(entry.name.endsWith('/') ? path : dirname(path), { recursive: true, mode: 0o755 });
      if (entry.name.endsWith('/')) continue;
      await writeFile(path, await readEntry(file, entry), { mode: modeOf(entry) });
    }
  } finally {
    await file.close();
  }
}

function safeName({ name }: ZipEntry): string {
  const path = normalize(name);
  if (path.startsWith(sep) || path.split(sep).includes('..')) {
    throw new Error(`the zip file holds a name that leads out of its folder: ${name}`);
  }
  return path;
}

function modeOf({ mode, name }: ZipEntry): number {
  if ((mode & fileType) !== 0 && (mode & fileType) !== regularFile) {
    throw new Error(`the zip file holds something that is no plain file: ${name}`);
  }
  return (mode & 0o111) === 0 ? 0o644 : 0o755;
}

async function readEntry(file: FileHandle, entry: ZipEntry): Promise<Buffer> {
  const header = await readBytes(file, entry.localHeaderOffset, entry.localHeaderOffset + localHeaderBytes);
  const from = entry.localHeaderOffset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const content = await decode(await readBytes(file, from, from + entry.compressedBytes), entry);
  if (content.length !== entry.bytes || crc32(content) !== entry.crc32) {
    throw new Error(`the zip file is damaged: ${entry.name} has another checksum than it should have`);
  }
  return content;
}

async function decode(content: Buffer, { method, name, bytes }: ZipEntry): Promise<Buffer> {
  if (method === stored) return content;
  if (method !== deflated) throw new Error(`the zip file packs ${name} in an unknown way (${method})`);
  try {
    return await inflate(content, { maxOutputLength: Math.max(1, bytes) });
  } catch (error) {
    throw new Error(`the zip file is damaged: ${name} cannot be unpacked`, { cause: error });
  }
}

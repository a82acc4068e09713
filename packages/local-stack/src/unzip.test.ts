import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { unzip } from './unzip';

interface Part {
  readonly name: string;
  readonly content?: string;
  readonly mode?: number;
  readonly pack?: boolean;
  readonly crc32?: number;
  readonly bytes?: number;
}

/** The smallest archive that holds these parts. */
function zip(parts: readonly Part[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, pack = false, ...given } of parts) {
    const data = pack ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(pack ? 8 : 0, 10);
    entry.writeUInt32LE(given.crc32 ?? crc32(content), 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(given.bytes ?? Buffer.byteLength(content), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(mode * 0x10000, 38);
    entry.writeUInt32LE(offset, 42);
    bodies.push(local, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aosc-unzip-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function unpack(archive: Buffer): Promise<void> {
  await writeFile(join(folder, 'a.zip'), archive);
  await unzip(join(folder, 'a.zip'), join(folder, 'out'));
}

test('stored and packed files come out, and execution bits stay', async () => {
  const script = '#!/bin/sh\n'.repeat(100);
  await unpack(
    zip([
      { name: 'home/' },
      { name: 'home/bin/run', content: script, mode: 0o100755, pack: true },
      { name: 'home/notes', content: 'text', mode: 0o100600 },
    ]),
  );
  expect(await readFile(join(folder, 'out/home/bin/run'), 'utf8')).toBe(script);
  expect(await readFile(join(folder, 'out/home/notes'), 'utf8')).toBe('text');
  expect((await stat(join(folder, 'out/home/bin/run'))).mode & 0o777).toBe(0o755);
  expect((await stat(join(folder, 'out/home/notes'))).mode & 0o777).toBe(0o644);
});

test.each([false, true])('a file with another checksum is refused (packed: %s)', async (pack) => {
  await expect(unpack(zip([{ name: 'a', content: 'text', pack, crc32: 1 }]))).rejects.toThrow('damaged');
});

test.each([
  [3, false],
  [5, false],
  [3, true],
  [5, true],
])(
  'a file that does not have the %s bytes that are said of it is refused (packed: %s)',
  async (bytes, pack) => {
    await expect(unpack(zip([{ name: 'a', content: 'text', pack, bytes }]))).rejects.toThrow(/size|bytes/);
  },
);

test('an archive that is cut short is refused', async () => {
  const whole = zip([{ name: 'a', content: 'text' }]);
  await expect(unpack(whole.subarray(0, -10))).rejects.toThrow('file is truncated');
  await expect(unpack(whole.subarray(20))).rejects.toThrow();
});

test.each(['../out-of-here', 'a/../../b', '/etc/passwd', 'a\\..\\..\\b'])(
  'the name %s is refused',
  async (name) => {
    await expect(unpack(zip([{ name }]))).rejects.toThrow(/(relative|absolute) path|invalid characters/);
  },
);

test('a link is refused', async () => {
  await expect(unpack(zip([{ name: 'a', content: '/etc', mode: 0o120777 }]))).rejects.toThrow(
    'no plain file',
  );
});

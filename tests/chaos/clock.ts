import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The wall clock of every process of the service; that of OpenSearch and Redis, and monotonic ones, stay as they are. */
export interface ServiceClock {
  /** for each process */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it so many seconds ahead of the true time, at once. */
  jumpTo(seconds: number): void;
  remove(): void;
}

/** @returns undefined where libfaketime (Debian: `libfaketime`) is not installed */
export function createServiceClock(): ServiceClock | undefined {
  const library = findLibrary();
  if (library === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'aosc-clock-'));
  const file = join(folder, 'offset');
  const jumpTo = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  jumpTo(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    jumpTo,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function findLibrary(): string | undefined {
  const libraries = '/usr/lib';
  if (!existsSync(libraries)) return undefined;
  return readdirSync(libraries)
    .map((folder) => join(libraries, folder, 'faketime/libfaketime.so.1'))
    .find((path) => existsSync(path));
}

import { readFile } from 'node:fs/promises';
import { callJson, type HttpClient, type StatusDocument, UnexpectedAnswer } from '@aosc/testkit';
import { source, target } from '../cluster';
import { readField, readNumber } from '../fields';

export interface Disk {
  readonly sourceBytes: number;
  readonly targetBytes: number;
  readonly pinnedBytes: number;
}

/** What both indices take on disk, and how much of the source is there for snapshots (or for a merge) alone. */
export async function readDisk(http: HttpClient): Promise<Disk> {
  const [sourceBytes, targetBytes, liveBytes] = await Promise.all([
    readStoreBytes(http, source),
    readStoreBytes(http, target).catch(noneWhereMissing),
    callJson(http, sumSegments, 'GET', `/${source}/_segments`),
  ]);
  return { sourceBytes, targetBytes, pinnedBytes: Math.max(0, sourceBytes - liveBytes) };
}

/** A target that is made of files is not there at once. */
function noneWhereMissing(error: unknown): number {
  if (error instanceof UnexpectedAnswer && error.answer.status === 404) return 0;
  throw error;
}

async function readStoreBytes(http: HttpClient, index: string): Promise<number> {
  const read = (answer: unknown): number => {
    const primaries = readField(readField(answer, '_all'), 'primaries');
    return readNumber(readField(primaries, 'store'), 'size_in_bytes');
  };
  return callJson(http, read, 'GET', `/${index}/_stats/store`);
}

/** Bytes of the segments that an index consists of now; those that only a snapshot sees are not among them. */
export function sumSegments(answer: unknown): number {
  const shardsOf = (index: unknown): readonly unknown[] => valuesOf(readField(index, 'shards')).flatMap(list);
  return valuesOf(readField(answer, 'indices'))
    .flatMap(shardsOf)
    .flatMap((copy) => valuesOf(readField(copy, 'segments')))
    .reduce<number>((sum, segment) => sum + readNumber(segment, 'size_in_bytes'), 0);
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const valuesOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

/** Documents that backfills have brought into the target so far. */
export function countCopied({ shards }: StatusDocument): number {
  return Object.values(shards).reduce((sum, { backfill }) => sum + (backfill?.documents_indexed ?? 0), 0);
}

/** @returns bytes that the process has in RAM now; undefined on a system without /proc, or when it is gone */
export async function readResidentBytes(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return parseResidentBytes(status);
}

/** `VmRSS` of `/proc/<pid>/status`. */
export function parseResidentBytes(status: string): number | undefined {
  const match = /^VmRSS:\s*(\d+) kB$/m.exec(status);
  return match?.[1] === undefined ? undefined : Number(match[1]) * 1024;
}

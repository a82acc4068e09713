import { readFile } from 'node:fs/promises';
import { createParser } from '@aosc/contract';
import type { ServiceProcess } from '@aosc/local-stack';
import { type Static, Type } from '@sinclair/typebox';

const LineSchema = Type.Object({
  timestamp: Type.Optional(Type.String()),
  event: Type.Optional(Type.String()),
  migration: Type.Optional(Type.String()),
  shard: Type.Optional(Type.Integer()),
  fromSeqNo: Type.Optional(Type.Integer()),
  epoch: Type.Optional(Type.Integer()),
});
const parseLine = createParser('log line', LineSchema);

export type LogLine = Static<typeof LineSchema>;

/** Lines with a certain event that a process has logged about a migration. */
export async function readLog(
  process: ServiceProcess,
  migrationId: string,
  event: string,
): Promise<readonly LogLine[]> {
  const text = await readFile(process.logFile, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}') && line.includes(`"${event}"`))
    .map((line) => parseLine(JSON.parse(line)))
    .filter((line) => line.event === event && line.migration === migrationId);
}

import { createParser } from '@aosc/contract';
import {
  callJson,
  createHttpClient,
  deleteIndices,
  type HttpClient,
  readIndexSettings,
  UnexpectedAnswer,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { records } from './names';

/**
 * Indices that the demo has made: their names, and the uuids that distinguish them from later indices of the same
 * names.
 */
export class MadeIndices {
  private readonly uuids = new Map<string, string>();

  /** Call it as soon as the index has been made. */
  async note(http: HttpClient, name: string): Promise<void> {
    this.uuids.set(name, await readUuid(http, name));
  }

  entries(): readonly (readonly [name: string, uuid: string])[] {
    return [...this.uuids];
  }
}

async function readUuid(http: HttpClient, name: string): Promise<string> {
  const { 'index.uuid': uuid } = await readIndexSettings(http, name);
  if (uuid === undefined) throw new Error(`index ${name} has no uuid`);
  return uuid;
}

const parseInstallation = createParser(
  'record of the installation',
  Type.Object({ _source: Type.Object({ installation_id: Type.String() }) }),
);

/**
 * Removes from a cluster only what the demo has made there, after the service's end.
 * @param installationId the demo's own, as its Redis had it; undefined: its service has not begun to work
 * @returns what stays there, each as a sentence; empty when nothing does
 */
export async function leaveNoTrace(
  urls: readonly string[],
  made: MadeIndices,
  installationId: string | undefined,
): Promise<readonly string[]> {
  const http = createHttpClient(urls);
  try {
    const left: string[] = [];
    for (const [name, uuid] of made.entries()) {
      left.push(...(await attempt(name, () => removeIndex(http, name, uuid))));
    }
    return [...left, ...(await attempt(records, () => removeRecords(http, installationId)))];
  } finally {
    http.close();
  }
}

async function attempt(name: string, remove: () => Promise<string | undefined>): Promise<readonly string[]> {
  try {
    const reason = await remove();
    return reason === undefined ? [] : [`${name} stays in the cluster: ${reason}`];
  } catch (error) {
    return [`${name} may be left in the cluster: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function removeIndex(http: HttpClient, name: string, uuid: string): Promise<string | undefined> {
  const found = await unlessMissing(() => readUuid(http, name));
  if (found === undefined) return undefined;
  if (found !== uuid) return 'it is not the index that the demo has made';
  await deleteIndices(http, [name]);
  return undefined;
}

/**
 * Records name the installation that they belong to. Another installation that came in between has refused the demo's,
 * and keeps them.
 */
async function removeRecords(
  http: HttpClient,
  installationId: string | undefined,
): Promise<string | undefined> {
  if ((await unlessMissing(() => readUuid(http, records))) === undefined) return undefined;
  const path = `/${records}/_doc/installation`;
  const record = await unlessMissing(() => callJson(http, parseInstallation, 'GET', path));
  if (record === undefined || record._source.installation_id !== installationId) {
    return "nothing proves that it is the demo's; delete it if no AOSC works on this cluster";
  }
  await deleteIndices(http, [records]);
  return undefined;
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.answer.status === 404) return undefined;
    throw error;
  }
}

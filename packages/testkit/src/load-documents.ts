import { callRaw } from './http/call-json';
import type { HttpClient } from './http/http-client';
import { readBulkAnswer } from './writer/wire';

export interface LoadedDocument {
  readonly id: string;
  readonly routing?: string;
  /** JSON text without line breaks */
  readonly source: string;
}

const requestBytes = 2 * 2 ** 20;

/**
 * Writes documents in bulk, two requests at a time, and refreshes the index.
 * @param onWritten learns after each request how many documents are written
 * @returns the number of documents
 * @throws when one of them is refused
 */
export async function loadDocuments(
  http: HttpClient,
  index: string,
  documents: Iterable<LoadedDocument>,
  signal?: AbortSignal,
  onWritten: (documents: number) => void = () => undefined,
): Promise<number> {
  let total = 0;
  const requests = batches(documents);
  const path = `/${encodeURIComponent(index)}`;
  const send = async (): Promise<number> => {
    let written = 0;
    for (let next = requests.next(); next.done !== true; next = requests.next()) {
      const { lines, count } = next.value;
      const contentType = 'application/x-ndjson';
      const bytes = await callRaw(http, {
        method: 'POST',
        path: `${path}/_bulk`,
        contentType,
        body: lines,
        signal,
      });
      const items = readBulkAnswer(bytes);
      const refused = items.find(({ errorType }) => errorType !== undefined);
      if (refused !== undefined)
        throw new Error(`load: ${refused.errorType ?? ''} ${refused.errorReason ?? ''}`);
      if (items.length !== count) throw new Error(`load: ${items.length} answers for ${count} documents`);
      written += count;
      onWritten((total += count));
    }
    return written;
  };
  const written = await Promise.all([send(), send()]);
  await callRaw(http, { method: 'POST', path: `${path}/_refresh`, signal });
  return written[0] + written[1];
}

function* batches(
  documents: Iterable<LoadedDocument>,
): Generator<{ lines: string; count: number }, undefined> {
  let lines: string[] = [];
  let bytes = 0;
  for (const { id, routing, source } of documents) {
    lines.push(JSON.stringify({ index: { _id: id, ...(routing === undefined ? {} : { routing }) } }), source);
    bytes += source.length + id.length;
    if (bytes < requestBytes) continue;
    yield { lines: `${lines.join('\n')}\n`, count: lines.length / 2 };
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield { lines: `${lines.join('\n')}\n`, count: lines.length / 2 };
  return undefined;
}

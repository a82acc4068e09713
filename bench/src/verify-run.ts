import { waitUntil } from '@aosc/local-stack';
import { callJson, createHttpClient } from '@aosc/testkit';
import { source } from './cluster';
import { readField, readNumber } from './fields';

const timeoutMs = 3_600_000;

/** Compares the content of both sides of a migration that has ended. @returns how long it took, in ms @throws Error when they differ */
export async function runVerification(
  apiUrl: string,
  documents: number,
  signal: AbortSignal,
): Promise<number> {
  const api = createHttpClient([apiUrl]);
  const path = `/_plugins/_aosc/${source}/_verify`;
  const same = (answer: unknown): unknown => answer;
  try {
    await callJson(api, same, 'POST', path, {});
    let answer: unknown;
    const hasEnded = async (): Promise<boolean> => {
      answer = await callJson(api, same, 'GET', path);
      return readField(answer, 'state') !== 'running';
    };
    await waitUntil(hasEnded, { what: 'the end of the verification', timeoutMs, endedBy: [signal] });
    return readTime(answer, documents);
  } finally {
    api.close();
  }
}

function readTime(answer: unknown, documents: number): number {
  const counts = readField(readField(answer, 'differences'), 'counts');
  const differing = ['missing', 'extra', 'version', 'routing', 'source'].map((kind) =>
    readNumber(counts, kind),
  );
  if (readField(answer, 'state') !== 'done' || differing.some((count) => count > 0))
    throw new Error(`the verification found differences: ${JSON.stringify(answer)}`);
  const compared = readNumber(answer, 'documents_compared');
  if (compared !== documents)
    throw new Error(`${compared} documents were compared, ${documents} were copied`);
  return readNumber(answer, 'ended_at_millis') - readNumber(answer, 'started_at_millis');
}

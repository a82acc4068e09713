import { createHttpClient } from '../http/http-client';
import type { ModelEntry, WriterModel } from '../model';
import { evaluateState } from './evaluate-state';
import { MismatchCollector, type Mismatches } from './mismatches';
import { type ReadDocument, readByKey } from './read-by-key';

export interface VerifyOptions {
  readonly urls: readonly string[];
  /** alias or index */
  readonly index: string;
  /** of writers that are paused or stopped */
  readonly model: WriterModel;
  readonly sampleLimit?: number;
  readonly signal?: AbortSignal;
}

export interface VerificationReport {
  /** documents of the model, deleted ones included */
  readonly documents: number;
  /** documents whose last operation had an unknown outcome: this read settled which one it was */
  readonly uncertain: number;
  readonly mismatches: Mismatches;
}

/**
 * "No write that OpenSearch acknowledged through the alias is ever missing from what the alias shows": reads each
 * document of the model (realtime, on the primary) and compares presence, routing, version and source bytes
 * with what was acknowledged last.
 */
export async function verifyAgainstModel(options: VerifyOptions): Promise<VerificationReport> {
  const http = createHttpClient(options.urls);
  const mismatches = new MismatchCollector(options.sampleLimit ?? 20);
  const entries = [...options.model.values()];
  try {
    const found = await readByKey(http, options.index, entries, options.signal);
    entries.forEach((entry, at) => judgeEntry(entry, found[at], mismatches));
  } finally {
    http.close();
  }
  return {
    documents: entries.length,
    uncertain: entries.filter(({ uncertain }) => uncertain).length,
    mismatches: mismatches.result(),
  };
}

function judgeEntry(entry: ModelEntry, found: ReadDocument, mismatches: MismatchCollector): void {
  const { id, routing } = entry;
  const mayBeAbsent = entry.acceptable.some((state) => !state.present);
  if (found !== undefined && found.routing !== routing?.toWellFormed()) {
    // a document of the same id under another routing, in the same shard: this one isn't there
    const detail = `routing ${found.routing ?? 'none'} found`;
    if (!mayBeAbsent) mismatches.add(id, routing, { differentRouting: detail });
    return;
  }
  const details = evaluateState(entry, found);
  if (details !== undefined) mismatches.add(id, routing, details);
}

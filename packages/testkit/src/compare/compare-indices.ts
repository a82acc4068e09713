import { digestOfSource, documentKey } from '../digest';
import { createHttpClient, type HttpClient } from '../http/http-client';
import type { ModelEntry, WriterModel } from '../model';
import { digest, type DocumentDigest, DocumentTable } from './document-table';
import { type IndexSnapshot, openIndexSnapshot } from './index-snapshot';
import { evaluateState } from './evaluate-state';
import { MismatchCollector, type Mismatches } from './mismatches';
import { asTransformed, canonicalSource, type ExpectedTransform } from './expected-transform';
import { normaliseSource } from './normalise-source';
import { eachDocument, type StoredDocument } from './read-documents';
import { reportUnmatched, type UnmatchedDocument, unmatchedLimit } from './unmatched';

export interface CompareOptions {
  readonly urls: readonly string[];
  /** the index as it was at the swap: no client may write to it any more (its write block stays) */
  readonly source: string;
  readonly target: string;
  /** shards read at the same time (default 3) */
  readonly concurrency?: number;
  /**
   * The acknowledged history of the writers that went on after the swap; they must be paused or stopped while
   * this runs. A document whose last acknowledged write went into the target is judged by this history, and so
   * is one with an unknown outcome; its state in the source is out of date and counts for nothing. Every other
   * document is judged by the source. No document is left out: `judgedBySource` + `judgedByModel` cover them all.
   */
  readonly model?: WriterModel;
  /**
   * What the migration's transform must have made of a document. Sources are then compared as JSON values, because
   * OpenSearch writes the text of a transformed one.
   */
  readonly transform?: ExpectedTransform;
  readonly sampleLimit?: number;
  readonly signal?: AbortSignal;
}

export interface ComparisonReport {
  readonly sourceDocuments: number;
  readonly targetDocuments: number;
  /** documents of the source that the target was held against */
  readonly judgedBySource: number;
  /** documents that the model vouches for, deleted ones included */
  readonly judgedByModel: number;
  readonly mismatches: Mismatches;
}

/**
 * Compares two indices document by document: `_id`, `_routing`, `_version` and the bytes of `_source` (blanks
 * around the value and the kind of line break between tokens apart). Both are refreshed and held still by points
 * in time of their primaries. Memory is bounded: 70 bytes for each document of the source.
 */
export async function compareIndices(options: CompareOptions): Promise<ComparisonReport> {
  const http = createHttpClient(options.urls);
  const snapshots: IndexSnapshot[] = [];
  try {
    const source = await openIndexSnapshot(http, options.source, options.signal);
    snapshots.push(source);
    const target = await openIndexSnapshot(http, options.target, options.signal);
    snapshots.push(target);
    return await compareSnapshots(http, source, target, options);
  } finally {
    await Promise.allSettled(snapshots.map((snapshot) => snapshot.close()));
    http.close();
  }
}

async function compareSnapshots(
  http: HttpClient,
  source: IndexSnapshot,
  target: IndexSnapshot,
  options: CompareOptions,
): Promise<ComparisonReport> {
  const { concurrency = 3, signal } = options;
  const mismatches = new MismatchCollector(options.sampleLimit ?? 20);
  const byModel = selectJudgedByModel(options.model, options.target);
  const table = new DocumentTable(source.documents);
  const { transform } = options;
  const digestOf = (key: string, document: StoredDocument): DocumentDigest =>
    digestDocument(key, document, transform === undefined ? normaliseSource : canonicalSource);

  let judgedBySource = 0;
  const readSource = (document: StoredDocument): void => {
    const key = documentKey(document.id, document.routing);
    if (byModel.has(key)) return;
    judgedBySource += 1;
    const expected = transform === undefined ? document : asTransformed(document, transform);
    if (!table.add(digestOf(documentKey(expected.id, expected.routing), expected))) {
      throw new Error(`${options.source} gives ${expected.id} twice under one routing`);
    }
  };
  await eachDocument(http, source, concurrency, readSource, signal);

  const extra: UnmatchedDocument[] = [];
  let extraCount = 0;
  const readTarget = (document: StoredDocument): void => {
    const key = documentKey(document.id, document.routing);
    const entry = byModel.get(key);
    if (entry !== undefined) {
      byModel.set(key, undefined);
      const details = evaluateState(entry, document);
      if (details !== undefined) mismatches.add(document.id, document.routing, details);
      return;
    }
    const match = table.match(digestOf(key, document));
    if (match === undefined || match.seenBefore || byModel.has(key)) {
      extraCount += 1;
      if (extra.length < unmatchedLimit) extra.push({ id: document.id, routing: document.routing });
    } else if (!match.sameVersion || !match.sameSource) {
      mismatches.add(document.id, document.routing, {
        ...(match.sameVersion ? {} : { differentVersion: `version ${document.version} in the target` }),
        ...(match.sameSource ? {} : { differentSource: describeSource(document.source) }),
      });
    }
  };
  await eachDocument(http, target, concurrency, readTarget, signal);

  for (const entry of byModel.values()) {
    const details = entry === undefined ? undefined : evaluateState(entry, undefined);
    if (entry !== undefined && details !== undefined) mismatches.add(entry.id, entry.routing, details);
  }
  const missing: UnmatchedDocument[] = [];
  const missingCount = table.countUnseen();
  if (missingCount > 0) {
    // the table holds digests only: a second reading names the documents behind them
    const name = (document: StoredDocument): void => {
      if (byModel.has(documentKey(document.id, document.routing))) return;
      const { id, routing } = transform === undefined ? document : asTransformed(document, transform);
      if (missing.length < unmatchedLimit && table.isUnseen(digest(documentKey(id, routing)))) {
        missing.push({ id, routing });
      }
    };
    await eachDocument(http, source, concurrency, name, signal);
  }
  reportUnmatched({ missing, missingCount, extra, extraCount }, mismatches);

  return {
    sourceDocuments: source.documents,
    targetDocuments: target.documents,
    judgedBySource,
    judgedByModel: byModel.size,
    mismatches: mismatches.result(),
  };
}

/** Documents that the source can't judge any more; a value of undefined means "found in the target". */
function selectJudgedByModel(
  model: WriterModel | undefined,
  target: string,
): Map<string, ModelEntry | undefined> {
  const selected = new Map<string, ModelEntry | undefined>();
  for (const entry of model?.values() ?? []) {
    // As a search shows them: half of a surrogate pair is U+FFFD there.
    const key = documentKey(entry.id.toWellFormed(), entry.routing?.toWellFormed());
    if (entry.index === target || entry.uncertain) selected.set(key, entry);
  }
  return selected;
}

function digestDocument(
  key: string,
  document: StoredDocument,
  normalise: (source: Buffer) => Buffer,
): DocumentDigest {
  return {
    key: digest(key),
    source: digest(normalise(document.source)),
    version: BigInt(document.version),
  };
}

function describeSource(source: Buffer): string {
  return `${source.length} bytes, digest ${digestOfSource(source)} in the target`;
}

import { createHash } from 'node:crypto';
import { createParser, maybe, type SetAsideDocument } from '@aosc/contract';
import { type Call, isClusterError, isIndexMissing, type RefusedStorePort } from '@aosc/engine';
import {
  classifyInnerError,
  createIndex,
  type OpenSearchClient,
  request,
  requestJson,
  writeDocuments,
} from '@aosc/opensearch';
import { Type } from '@sinclair/typebox';
import { systemSettings } from './system-index';

/** An index of its own: a right to read the service's records must not reach these documents of users. */
export const refusedIndex = '.aosc-set-aside';

const mapping = {
  dynamic: false,
  properties: { key: { type: 'keyword' }, shard: { type: 'long' }, at_millis: { type: 'date' } },
} as const;

/**
 * The bytes of a larger document are not stored: under the usual `http.max_content_length` no request could carry them
 * back as text. The source still has the document.
 */
const mostBytes = 8 * 1024 * 1024;
/** The most characters in one request. */
const mostTogether = 16 * 1024 * 1024;

const pageOfIds = 1000;

const parseFound = createParser(
  `answer of _search on ${refusedIndex}`,
  Type.Object({ hits: Type.Object({ hits: Type.Array(Type.Object({ _id: Type.String() })) }) }),
);
const parseRemoved = createParser(
  `answer of _bulk on ${refusedIndex}`,
  Type.Object({
    items: Type.Array(
      Type.Object({ delete: Type.Object({ status: Type.Integer(), error: maybe(Type.Unknown()) }) }),
    ),
  }),
);

/**
 * Documents that were set aside, each under an id made of its name and its `seqNo`: to write a document again changes
 * nothing, and a worker that has lost the shard never replaces a newer document by a late write.
 */
export function createRefusedStore(client: OpenSearchClient, now: () => number): RefusedStorePort {
  const ensure = async (call: Call): Promise<void> => {
    await createIndex(client, refusedIndex, { settings: systemSettings, mappings: mapping }, call);
  };
  return {
    ensure,
    async keep(key, shard, documents, call) {
      // A person may have deleted the index. A write would create it again by the cluster's templates, and not hidden.
      await ensure(call);
      const writes = documents.map(({ entry, source }) => {
        const { seqNo, ...rest } = entry;
        const isWhole = source.length <= mostBytes;
        const bytes = { source_base64: Buffer.from(source).toString('base64') };
        const body = { key, shard, at_millis: now(), seq_no: seqNo, ...rest, ...(isWhole && bytes) };
        return { id: idOf(key, shard, entry), body: JSON.stringify(body), condition: 'create' as const };
      });
      for (let part = writes; part.length > 0;) {
        let size = 0;
        const end = part.findIndex(({ body }, at) => (size += body.length) > mostTogether && at > 0);
        const sent = end === -1 ? part : part.slice(0, end);
        const outcomes = await writeDocuments(client, refusedIndex, sent, call);
        for (const outcome of outcomes)
          if (isClusterError(outcome) && outcome.kind !== 'conflict') throw outcome;
        part = part.slice(sent.length);
      }
    },
    forget: (key, shard, entries, call) =>
      remove(
        entries.map((entry) => idOf(key, shard, entry)),
        call,
      ),
    async forgetAll(key, call) {
      for (let left = await find(key, call); left.length > 0; left = await find(key, call))
        await remove(left, call);
    },
  };

  async function find(key: string, call: Call): Promise<readonly string[]> {
    const body = JSON.stringify({ query: { term: { key } }, _source: false, size: pageOfIds });
    try {
      await request(client, { method: 'POST', path: `/${refusedIndex}/_refresh` }, call);
      const what = { method: 'POST', path: `/${refusedIndex}/_search`, body } as const;
      const { hits } = await requestJson(client, what, parseFound, call);
      return hits.hits.map(({ _id }) => _id);
    } catch (error) {
      if (isIndexMissing(error)) return [];
      throw error;
    }
  }

  /** Entries that are missing are removed already, and so is every entry where the index is missing. */
  async function remove(ids: readonly string[], call: Call): Promise<void> {
    const path = `/${refusedIndex}/_bulk`;
    const body = ids.map((_id) => `${JSON.stringify({ delete: { _id } })}\n`).join('');
    const what = { method: 'POST', path, contentType: 'application/x-ndjson', body } as const;
    const { items } = await requestJson(client, what, parseRemoved, call);
    for (const { delete: removed } of items) {
      if (removed.error === undefined) continue;
      const failed = classifyInnerError(`POST ${path}`, removed.error, removed.status);
      if (!isIndexMissing(failed)) throw failed;
    }
  }
}

function idOf(key: string, shard: number, { id, routing, seqNo }: SetAsideDocument): string {
  const name = createHash('sha256')
    .update(JSON.stringify([id, routing ?? null]))
    .digest('hex');
  return `${key}-${shard}-${seqNo}-${name.slice(0, 32)}`;
}

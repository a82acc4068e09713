import { byName, createParser, maybe } from '@aosc/contract';
import { type Call, ClusterError, instead, isClusterError, isIndexMissing } from '@aosc/engine';
import {
  createIndex,
  deleteDocument,
  getDocuments,
  indexDocument,
  type OpenSearchClient,
  readClusterState,
  request,
  requestJson,
  writeDocuments,
} from '@aosc/opensearch';
import { Type } from '@sinclair/typebox';
import type { DocumentIndex, SearchAnswer } from './document-index';
import { systemIndex, systemMapping, systemSettings } from './system-index';

/** Documents in one `_mget`: records of shards are some KB each, positions some bytes. */
const pageOfGets = 200;
const pageOfPositions = 1000;

const parseSearch = createParser(
  `answer of _search on ${systemIndex}`,
  Type.Object({
    timed_out: Type.Literal(false),
    _shards: Type.Object({ failed: Type.Literal(0) }),
    hits: Type.Object({
      total: maybe(Type.Object({ value: Type.Integer() })),
      hits: Type.Array(
        Type.Object({ _seq_no: Type.Integer(), _primary_term: Type.Integer(), _source: Type.Unknown() }),
      ),
    }),
    aggregations: maybe(Type.Unknown()),
  }),
);

/** A mapping without fields has no `properties`, and `dynamic` is a text even if it was set as a boolean. */
const Mappings = Type.Object({
  _doc: Type.Object({
    dynamic: maybe(Type.String()),
    properties: maybe(byName(Type.Object({ type: maybe(Type.String()) }))),
  }),
});

/** The answer leaves out a missing index. */
const parseMapping = createParser(
  `mapping of ${systemIndex} in _cluster/state`,
  Type.Object({
    metadata: Type.Object({
      indices: maybe(byName(Type.Object({ mappings: Mappings }))),
    }),
  }),
);

type FoundDocument = Awaited<ReturnType<typeof getDocuments>>[number] & { readonly found: true };

/** `.aosc-migrations` on a real cluster. */
// eslint-disable-next-line max-lines-per-function -- one closure: each function is one call of OpenSearch
export function createOpenSearchDocuments(client: OpenSearchClient): DocumentIndex {
  async function ensure(call: Call): Promise<void> {
    if (await hasMapping(call)) return;
    if ((await create(call)) === 'created') return;
    const body = JSON.stringify(systemMapping);
    try {
      await request(client, { method: 'PUT', path: `/${systemIndex}/_mapping`, body }, call);
    } catch (error) {
      if (isClusterError(error, 'invalid')) throw withoutMapping(error);
      throw error;
    }
  }

  /**
   * @throws ClusterError 'blocked' when the cluster refuses the index: after an operator removes the cause, a
   *   repetition helps
   */
  async function create(call: Call): Promise<'created' | 'exists'> {
    try {
      const body = { settings: systemSettings, mappings: systemMapping };
      return await createIndex(client, systemIndex, body, call);
    } catch (error) {
      if (isClusterError(error, 'invalid', 'blocked')) throw refusedIndex(error);
      throw error;
    }
  }

  /**
   * Whether the index has its mapping. Every start looks, because a look does not wait in the manager's queue, as a
   * creation or a change of the mapping does. It reads the cluster state, for which the service's user needs no further
   * right.
   */
  async function hasMapping(call: Call): Promise<boolean> {
    const wanted = { index: systemIndex, fields: ['metadata.indices.*.mappings'] };
    const { metadata } = await readClusterState(client, wanted, parseMapping, call);
    const [index] = Object.values(metadata.indices ?? {});
    if (index === undefined) return false;
    const { dynamic, properties } = index.mappings._doc;
    const mapped = new Map(Object.entries(properties ?? {}));
    return (
      dynamic === String(systemMapping.dynamic) &&
      Object.entries(systemMapping.properties).every(([field, { type }]) => mapped.get(field)?.type === type)
    );
  }

  const getMany = (ids: readonly string[], call: Call) =>
    getPages(ids, true, (found) => ({ record: parseSource(found), ...positionOf(found) }), call);

  async function getPages<T>(
    ids: readonly string[],
    source: boolean,
    read: (found: FoundDocument) => T,
    call: Call,
  ): Promise<readonly (T | undefined)[]> {
    const documents: (T | undefined)[] = [];
    const page = source ? pageOfGets : pageOfPositions;
    for (let from = 0; from < ids.length; from += page) {
      const keys = ids.slice(from, from + page).map((id) => ({ id }));
      const asked = getDocuments(client, systemIndex, keys, { source }, call);
      const answers = await asked.catch(instead(undefined, isIndexMissing));
      documents.push(
        ...(answers?.map((each) => (each.found ? read(each) : undefined)) ?? keys.map(() => undefined)),
      );
    }
    return documents;
  }

  async function search(body: object, call: Call): Promise<SearchAnswer> {
    const what = {
      method: 'POST',
      path: `/${systemIndex}/_search`,
      query: { allow_partial_search_results: false },
      body: JSON.stringify({ ...body, seq_no_primary_term: true }),
    } as const;
    const asked = requestJson(client, what, parseSearch, call);
    const answer = await asked.catch(instead(undefined, isIndexMissing));
    if (answer === undefined) return { documents: [], total: 0, aggregations: undefined };
    const { total, hits } = answer.hits;
    return {
      documents: hits.map((hit) => ({
        record: hit._source,
        seqNo: hit._seq_no,
        primaryTerm: hit._primary_term,
      })),
      total: total?.value ?? hits.length,
      aggregations: answer.aggregations,
    };
  }

  const write = (
    id: string,
    body: object,
    condition: Parameters<typeof indexDocument>[2]['condition'],
    refresh: boolean,
    call: Call,
  ) => indexDocument(client, systemIndex, { id, body: JSON.stringify(body), condition, refresh }, call);

  return {
    ensure,
    get: async (id, call) => (await getMany([id], call))[0],
    getMany,
    getPositions: (ids, call) => getPages(ids, false, positionOf, call),
    create: (id, body, refresh, call) => write(id, body, 'create', refresh, call),
    replace: (id, before, body, refresh, call) => write(id, body, positionOf(before), refresh, call),
    createMany: (creations, call) =>
      writeDocuments(
        client,
        systemIndex,
        creations.map(({ id, body }) => ({ id, condition: 'create', body: JSON.stringify(body) })),
        call,
      ),
    replaceMany: (writes, call) =>
      writeDocuments(
        client,
        systemIndex,
        writes.map(({ id, before, body }) => ({
          id,
          condition: positionOf(before),
          body: JSON.stringify(body),
        })),
        call,
      ),
    remove: (id, before, call) =>
      deleteDocument(client, systemIndex, { id, condition: positionOf(before) }, call),
    search,
  };
}

/** The messages of `ShardLimitValidator`, and of the block that OpenSearch sets when its disks are full. */
const waysOut: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /maximum (?:\S+ )?shards open/,
    'raise the cluster setting [cluster.max_shards_per_node], or delete indices that are not needed',
  ],
  [
    /create-index blocked/i,
    'make room on the disks of the data nodes, or lift [cluster.blocks.create_index]',
  ],
];

function refusedIndex(error: ClusterError): ClusterError {
  const way = waysOut.find(([words]) => words.test(error.message))?.[1] ?? 'remove what it names';
  const reason = `the cluster refuses the index of the service's records [${systemIndex}]: ${way}: ${error.message}`;
  return new ClusterError('blocked', reason, error.details, { cause: error });
}

/**
 * When a write finds no index, OpenSearch creates one with a mapping by which searches find nothing. The service does
 * not delete such an index: another process may be about to do the same, and a delete by name could hit the index that
 * the other process has just created.
 */
function withoutMapping(error: ClusterError): ClusterError {
  return new ClusterError(
    'invalid',
    `${error.message}. [${systemIndex}] was deleted while the service ran, and a write has made it again without its ` +
      'mapping: stop all processes of the service, delete the index, and start them again; docs/how-to/break-glass.md undoes ' +
      'what the migrations of then have left',
    error.details,
    { cause: error },
  );
}

function parseSource({ id, source }: { id: string; source: Buffer | undefined }): unknown {
  if (source === undefined) throw new ClusterError('invalid', `${systemIndex}/${id} has no _source`);
  return JSON.parse(source.toString('utf8'));
}

function positionOf({ seqNo, primaryTerm }: { seqNo: number; primaryTerm: number }) {
  return { seqNo, primaryTerm };
}

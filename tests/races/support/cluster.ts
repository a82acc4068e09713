import { randomBytes } from 'node:crypto';
import { createParser } from '@aosc/contract';
import { type Server, type Stack, type StackOptions, startStack } from '@aosc/local-stack';
import type { ClusterPorts, RefusedStorePort } from '@aosc/engine';
import { createClient, createClusterPorts } from '@aosc/opensearch';
import {
  createOpenSearchDocuments,
  createRefusedStore,
  createStore,
  gatherRequests,
  type MigrationStore,
  systemIndex,
} from '@aosc/store';
import {
  borrowStack,
  callRaw,
  createHttpClient,
  deleteIndices,
  type HttpClient,
  UnexpectedAnswer,
} from '@aosc/testkit';
import { Type } from '@sinclair/typebox';

const parseWritten = createParser('answer of a write', Type.Object({ _version: Type.Integer() }));

const parseDeleted = createParser(
  'answer of a bulk of deletes',
  Type.Object({ items: Type.Array(Type.Object({ delete: Type.Object({ status: Type.Integer() }) })) }),
);

/** Which document, and how a write names it. */
export interface DocumentName {
  readonly id: string;
  readonly routing?: string;
  /** sent as an external version; left out: OpenSearch counts by itself */
  readonly version?: number | string;
  /** default `external` */
  readonly versionType?: 'external' | 'external_gte';
}

/** A real cluster with the service's own ports and store. */
export interface Cluster {
  /** all of them */
  readonly nodes: readonly Server[];
  /** of those that are asked */
  readonly urls: readonly string[];
  /** @throws Error when the cluster was started without Redis */
  readonly redisUrl: string;
  readonly http: HttpClient;
  readonly ports: ClusterPorts;
  readonly store: MigrationStore;
  readonly refused: RefusedStorePort;
  /** A name that no other test uses; such an index is deleted at the end. */
  name(what: string): string;
  send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  /** The answer as text: numbers in it can exceed 2^53. */
  text(method: 'GET' | 'POST', path: string): Promise<string>;
  /** Writes one document, as an application does. @returns its `_version` */
  put(index: string, document: DocumentName, source: string): Promise<number>;
  remove(index: string, document: DocumentName): Promise<void>;
  /** By bulk: ids that can't stand in a path, too. @throws unless each is there and is deleted */
  removeAll(index: string, documents: readonly Pick<DocumentName, 'id' | 'routing'>[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param options one node as it comes, without Redis, when left out
 * @param asked how many of the nodes are asked for anything; left out: all
 */
export async function startCluster(options: StackOptions = {}, asked?: number): Promise<Cluster> {
  return createCluster(await startStack({ nodes: 1, redis: false, ...options }), asked);
}

/** The node and the Redis that the files of a jest worker share (`borrowStack()`). */
export async function borrowCluster(): Promise<Cluster> {
  return createCluster(await borrowStack(), undefined, true);
}

function createCluster(stack: Stack, asked?: number, isBorrowed = false): Cluster {
  const urls = stack.openSearchUrls.slice(0, asked);
  const http = createHttpClient(urls);
  const client = createClient({ nodes: urls });
  const names: string[] = [];
  const call = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: string) => {
    const answer = await callRaw(http, { method, path, ...(body === undefined ? {} : { body }) });
    const parsed: unknown = JSON.parse(answer.toString('utf8'));
    return parsed;
  };
  return {
    nodes: stack.nodes,
    urls,
    get redisUrl() {
      return stack.redisUrl;
    },
    http,
    ports: createClusterPorts(client),
    store: createStore(gatherRequests(createOpenSearchDocuments(client), 60_000), () => Date.now()),
    refused: createRefusedStore(client, () => Date.now()),
    name(what) {
      const name = `flaw-${what}-${randomBytes(5).toString('hex')}`;
      names.push(name);
      return name;
    },
    send: (method, path, body) => call(method, path, body && JSON.stringify(body)),
    text: async (method, path) => (await callRaw(http, { method, path })).toString('utf8'),
    put: async (index, document, source) =>
      parseWritten(await call('PUT', documentPath(index, document), source))._version,
    async remove(index, document) {
      await call('DELETE', documentPath(index, document));
    },
    async removeAll(index, documents) {
      const lines = documents.map(({ id, routing }) => JSON.stringify({ delete: { _id: id, routing } }));
      const answer = await callRaw(http, {
        method: 'POST',
        path: `/${index}/_bulk`,
        contentType: 'application/x-ndjson',
        body: `${lines.join('\n')}\n`,
      });
      const { items } = parseDeleted(JSON.parse(answer.toString('utf8')));
      const other = items.filter((item) => item.delete.status !== 200);
      if (other.length > 0) throw new Error(`not deleted: ${JSON.stringify(other.slice(0, 3))}`);
    },
    async stop() {
      try {
        if (names.length > 0) await deleteIndices(http, names);
        if (isBorrowed) await forgetMigrations(http, names);
      } finally {
        http.close();
        await client.close();
        await stack.stop();
      }
    },
  };
}

/** A test stops driving its migration wherever it has seen enough: the record goes with the indices. */
async function forgetMigrations(http: HttpClient, sources: readonly string[]): Promise<void> {
  const post = (path: string, body?: object) =>
    callRaw(http, {
      method: 'POST',
      path: `/${systemIndex}/${path}?ignore_unavailable=true`,
      ...(body && { body: JSON.stringify(body) }),
    });
  await post('_refresh');
  await post('_delete_by_query', { query: { terms: { source_index: sources } } });
}

/**
 * Writes a document whose version is lower than that of its delete: refused until the source has forgotten the delete
 * (`index.gc_deletes` has passed). @returns its `_version`
 */
export async function putOnceForgotten(
  cluster: Cluster,
  index: string,
  document: DocumentName,
  source: string,
): Promise<number> {
  for (;;) {
    try {
      return await cluster.put(index, document, source);
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer && error.answer.status === 409)) throw error;
    }
  }
}

function documentPath(
  index: string,
  { id, routing, version, versionType = 'external' }: DocumentName,
): string {
  const query = new URLSearchParams({
    ...(routing === undefined ? {} : { routing }),
    ...(version === undefined ? {} : { version: String(version), version_type: versionType }),
  });
  return `/${index}/_doc/${encodeURIComponent(id)}?${query.toString()}`;
}

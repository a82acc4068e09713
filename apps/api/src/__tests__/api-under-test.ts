import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { parseEnv } from '@aosc/config';
import type { Call } from '@aosc/engine';
import { createClient, type OpenSearchClient, requestJson } from '@aosc/opensearch';
import { createOpenSearchDocuments, createStore, type MigrationStore, systemIndex } from '@aosc/store';
import { createLogger } from '@aosc/telemetry';
import { type CheckedAnswer, sendChecked } from '@aosc/testkit';
import { type ApiServer, startApiServer } from '../server';

export { errorLike } from './error-like';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A real API process's server on a free port, and the cluster behind it. */
export interface ApiUnderTest {
  readonly server: ApiServer;
  readonly prefix: string;
  readonly url: string;
  readonly store: MigrationStore;
  readonly call: Call;
  /** JSON to the API; every answer is held to the OpenAPI document */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** any request to the API */
  send(path: string, init: RequestInit): Promise<CheckedAnswer>;
  /** JSON to OpenSearch; fails unless it answers 2xx */
  cluster(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** No scheduler drives what was started here to an end. */
  forgetMigrations(): Promise<void>;
  close(): Promise<void>;
}

/** @param urls of OpenSearch and Redis; nothing need listen there */
export async function startApi(urls: { openSearch: string; redis: string }): Promise<ApiUnderTest> {
  const prefix = `test-${randomUUID()}`;
  const config = {
    ...parseEnv(
      {
        AOSC_OPENSEARCH_URL: urls.openSearch,
        AOSC_REDIS_URL: urls.redis,
        AOSC_QUEUE_PREFIX: prefix,
        // A test asks faster than any user.
        AOSC_API_RATE_PER_SECOND: '0',
        // Opens the names of data streams, so that a start reports what is wrong with them.
        AOSC_HIDDEN_INDICES: '.ds-*',
      },
      'api',
    ),
    apiPort: 0,
  };
  const stream = new PassThrough().resume();
  const server = await startApiServer(config, createLogger({ app: 'api', level: 'error', stream }), {
    auditStream: stream,
  });
  const client: OpenSearchClient = createClient({ nodes: config.openSearchUrls });
  const call: Call = { signal: new AbortController().signal };
  const url = `http://${server.host}:${server.port}`;
  return {
    server,
    prefix,
    url,
    call,
    store: createStore(createOpenSearchDocuments(client), Date.now),
    api: (method, path, body) => ask(url, path, method, body),
    send: (path, init) => sendChecked(url, path, init),
    cluster: (method, path, body) => {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return requestJson(client, { method, path, ...text }, (value) => value, call);
    },
    forgetMigrations: async () => {
      await client.send({ method: 'DELETE', path: `/${systemIndex}` }, call);
    },
    close: async () => {
      await server.close();
      await client.close();
    },
  };
}

async function ask(url: string, path: string, method: string, body: unknown): Promise<Answer> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const { status, body: answered } = await sendChecked(url, path, { method, ...content });
  return { status, body: answered };
}

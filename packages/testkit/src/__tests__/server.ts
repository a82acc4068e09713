import { borrowStack } from '../borrow-stack';
import { callRaw } from '../http/call-json';
import { createHttpClient, type HttpClient } from '../http/http-client';
import { deleteIndices } from '../test-indices';

export interface TestServer {
  readonly urls: readonly string[];
  readonly http: HttpClient;
  /** A name that no other test uses; such an index is deleted at the end. */
  name(what: string): string;
  refresh(index: string): Promise<void>;
  send(method: 'PUT' | 'POST' | 'DELETE' | 'GET', path: string, body?: string): Promise<Buffer>;
  stop(): Promise<void>;
}

/** A real OpenSearch of one node, which other files use as well. */
export async function startTestServer(): Promise<TestServer> {
  const stack = await borrowStack();
  const http = createHttpClient(stack.openSearchUrls);
  const run = `tk${process.pid}${Date.now().toString(36)}`;
  const names: string[] = [];
  const send: TestServer['send'] = (method, path, body) =>
    callRaw(http, { method, path, ...(body === undefined ? {} : { body }) });
  return {
    urls: stack.openSearchUrls,
    http,
    name: (what) => {
      const name = `${run}-${what}-${names.length}`;
      names.push(name);
      return name;
    },
    refresh: async (index) => {
      await send('POST', `/${index}/_refresh`);
    },
    send,
    stop: async () => {
      try {
        if (names.length > 0) await deleteIndices(http, names);
      } finally {
        http.close();
        await stack.stop();
      }
    },
  };
}

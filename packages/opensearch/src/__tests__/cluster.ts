import { randomBytes } from 'node:crypto';
import type { Call, ClusterPorts, IndexPorts } from '@aosc/engine';
import { borrowStack } from '@aosc/testkit';
import { createClient, createClusterPorts, indexPath, type OpenSearchClient, request } from '../index';
import type { SendRequest } from '../client/request';

/** A real cluster of one node, which other files use as well, and indices with names of their own that the end of the test removes. */
export interface Cluster {
  readonly client: OpenSearchClient;
  readonly ports: ClusterPorts;
  index(name: string): IndexPorts;
  readonly call: Call;
  /** @returns the name of a new index */
  create(body: object): Promise<string>;
  /** A new index whose shards find no node until the test removes the setting. */
  createUnallocated(body: { settings: object; aliases?: object }): Promise<string>;
  /** A name that is not in use. */
  name(what: string): string;
  json(method: SendRequest['method'], path: string, body?: object | string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function borrowCluster(): Promise<Cluster> {
  const stack = await borrowStack();
  const client = createClient({ nodes: stack.openSearchUrls });
  const ports = createClusterPorts(client);
  const call: Call = { signal: new AbortController().signal };
  const created: string[] = [];
  const name = (what: string) => `it-${what}-${randomBytes(5).toString('hex')}`;
  const json = async (method: SendRequest['method'], path: string, body?: object | string) => {
    const [bare = '', search] = path.split('?');
    const answer = await request(
      client,
      {
        method,
        path: bare,
        ...(search === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(search)) }),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
      call,
    );
    const parsed: unknown = JSON.parse(answer.toString('utf8'));
    return parsed;
  };
  const create = async (search: string, body: object) => {
    const index = name('index');
    created.push(index);
    await json('PUT', `/${indexPath(index)}${search}`, body);
    return index;
  };
  return {
    client,
    ports,
    index: (index) => ports.index(index),
    call,
    name,
    json,
    create: (body) => create('', body),
    createUnallocated: (body) => {
      const settings = { ...body.settings, [allocationSetting]: 'nobody' };
      return create('?wait_for_active_shards=0', { ...body, settings });
    },
    stop: async () => {
      for (const index of created)
        await client.send({ method: 'DELETE', path: `/${indexPath(index)}` }, call);
      await client.close();
      await stack.stop();
    },
  };
}

export const oneShard = { number_of_shards: 1, number_of_replicas: 0 } as const;

export const allocationSetting = 'index.routing.allocation.require._name';

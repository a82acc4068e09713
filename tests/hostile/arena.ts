import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from '@aosc/contract';
import { callJson, callRaw, type CheckedAnswer, sendChecked } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import { type Environment, startEnvironment, until } from '../support/environment';
import { documentedRoleFor, putRole, serviceUser } from '../support/secured-cluster';

/** What only the owner of `b-*` may ever see. No request holds it, so an answer that does has read it. */
const secret = `payroll-${randomBytes(8).toString('hex')}`;
const secretField = `salary-${randomBytes(8).toString('hex')}`;
/** Every text whose like in an answer is a leak. */
export const secrets = [secret, secretField] as const;

/** Every start is refused at its last check: the source's snapshots would not fit. */
const sourceShards = 6;
const openSnapshots = 10;

const key = `hostile-${randomBytes(20).toString('hex')}`;

/** One node, an API with a credentials file, and a key with `operate` only on `a-*`. */
export interface Arena {
  readonly environment: Environment;
  /** Sends a start as that key. */
  start(source: string, body: unknown): Promise<CheckedAnswer>;
  /** Asks for a target as that key. */
  createTarget(source: string, body: unknown): Promise<CheckedAnswer>;
  /** What a start that was not the caller's to make would change, or read of others. */
  look(): Promise<unknown>;
  /** The node of the beginning runs, and none of its threads is busy with what was asked for. */
  expectIdle(): Promise<void>;
  stop(): Promise<void>;
}

const parseNodes = createParser(
  'answer of _nodes/stats',
  Type.Object({
    nodes: Type.Record(
      Type.String(),
      Type.Object({
        jvm: Type.Object({ uptime_in_millis: Type.Integer() }),
        thread_pool: Type.Object({
          search: Type.Object({ active: Type.Integer(), queue: Type.Integer() }),
          management: Type.Object({ active: Type.Integer(), queue: Type.Integer() }),
        }),
      }),
    ),
  }),
);

/** @param options.secured with the security plugin and the documented role, for the indices of both teams */
export async function startArena({ secured = false }: { readonly secured?: boolean } = {}): Promise<Arena> {
  const folder = await mkdtemp(join(tmpdir(), 'aosc-hostile-'));
  const authFile = join(folder, 'credentials.json');
  const keyHash = `sha256$${createHash('sha256').update(key).digest('hex')}`;
  const entry = { name: 'limited', key_hash: keyHash, roles: ['operate'], index_patterns: ['a-*'] };
  await writeFile(authFile, JSON.stringify({ api_keys: [entry] }), { mode: 0o600 });
  const environment = await startEnvironment({
    workers: 0,
    secured,
    env: { AOSC_AUTH_FILE: authFile, AOSC_API_RATE_PER_SECOND: '0' },
  });
  const { http, apiUrl } = environment;
  if (secured) await putRole(http, serviceUser.name, documentedRoleFor(['a-*', 'b-*'], ['a-*', 'b-*']));
  const send = (method: 'POST' | 'PUT', path: string, body?: object) =>
    callJson(http, (answer) => answer, method, path, body);
  await makeIndices(send);
  const first = await readNode();

  function post(source: string, action: string, body: unknown): Promise<CheckedAnswer> {
    return sendChecked(apiUrl, `/_plugins/_aosc/${encodeURIComponent(source)}/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
      body: JSON.stringify(body),
    });
  }

  async function readNode() {
    const path = '/_nodes/stats/jvm,thread_pool';
    const { nodes } = await callJson(http, parseNodes, 'GET', path);
    const [node] = Object.entries(nodes);
    if (node === undefined) throw new Error('the cluster has no node');
    const [id, { jvm, thread_pool: threads }] = node;
    return { id, startedAt: Date.now() - jvm.uptime_in_millis, threads };
  }

  return {
    environment,
    start: (source, body) => post(source, '_start', body),
    createTarget: (source, body) => post(source, '_create_target', body),
    look: async () => {
      const read = async (path: string) => {
        const { body } = await http.send({ method: 'GET', path });
        return JSON.parse(body.toString()) as unknown;
      };
      const counted =
        'search.query_total,search.open_contexts,get.total,indexing.index_total,indexing.delete_total';
      const filter = counted.split(',').map((name) => `indices.*.total.${name}`);
      return {
        used: await read(`/b-*/_stats/search,get,indexing?filter_path=${filter.join()}`),
        indices: await read('/a-*,b-*?expand_wildcards=all'),
        records: await read(
          '/.aosc-migrations/_search?q=NOT%20_id:installation&size=100&ignore_unavailable=true&filter_path=hits.hits',
        ),
        pipelines: await read('/_ingest/pipeline'),
        scripts: await read('/_cluster/state/metadata?filter_path=metadata.stored_scripts'),
      };
    },
    async expectIdle() {
      const { id, startedAt } = await readNode();
      expectSame('the node', [id, Math.round((startedAt - first.startedAt) / 10_000)], [first.id, 0]);
      await until('idle threads', async () => {
        const { search, management } = (await readNode()).threads;
        // The question itself takes one of them, and another asks the shards.
        return search.active + search.queue + management.queue === 0 && management.active <= 1;
      });
    },
    stop: () => environment.stop(),
  };

  async function makeIndices(
    put: (method: 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>,
  ): Promise<void> {
    const settings = (shards: number) => ({ number_of_shards: shards, number_of_replicas: 0 });
    // The distribution that the security plugin is tested with has no modules.
    const ofModules = secured
      ? { source: {}, secret: {} }
      : {
          source: {
            area: { type: 'geo_shape' },
            kind: { type: 'join', relations: { question: 'answer' } },
          },
          secret: { q: { type: 'percolator' }, area: { type: 'geo_shape' } },
        };
    const properties = {
      k: { type: 'keyword' },
      t: { type: 'text' },
      n: { type: 'long' },
      d: { type: 'date' },
      ip: { type: 'ip' },
      at: { type: 'geo_point' },
      lines: { type: 'nested', properties: { k: { type: 'keyword' } } },
      ...ofModules.source,
    };
    await put('PUT', '/a-source', {
      settings: settings(sourceShards),
      mappings: { properties },
      aliases: { 'a-alias': {} },
    });
    await put('PUT', '/a-target', { settings: settings(sourceShards), mappings: { properties } });
    await put('PUT', '/b-secret', {
      settings: settings(1),
      mappings: {
        properties: {
          [secretField]: { type: 'keyword' },
          ...ofModules.secret,
        },
      },
      aliases: { 'b-alias': {} },
    });
    const lines = [1, 2].map((id) => ({ k: ['x'], n: id, area: { type: 'point', coordinates: [1, 2] }, id }));
    for (const line of lines)
      await put('PUT', `/a-source/_doc/${line.id}?refresh=true`, { k: 'x', n: line.n });
    for (const line of lines) {
      const path = `/b-secret/_doc/${line.id}?refresh=true`;
      await put('PUT', path, { ...line, [secretField]: secret });
    }
    await put('PUT', '/_cluster/settings', { persistent: { 'search.max_open_pit_context': openSnapshots } });
    const made = await callRaw(http, { method: 'GET', path: '/_cat/indices/a-*,b-*' });
    if (made.toString().split('\n').length < 4) throw new Error('an index is missing');
  }
}

function expectSame(what: string, found: readonly unknown[], wanted: readonly unknown[]): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new Error(`${what} is another: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from '@aosc/contract';
import { commandRedis, type Stack } from '@aosc/local-stack';
import { callJson, callRaw, createHttpClient, type HttpClient } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';

type Servers = Pick<Stack, 'openSearchUrls' | 'redisUrl'>;

const Named = Type.Record(Type.String(), Type.Unknown());

const parseSettings = createParser(
  'answer of _cluster/settings',
  Type.Object({ persistent: Named, transient: Named }),
);

const parseMetadata = createParser(
  'metadata in _cluster/state',
  Type.Object({
    metadata: Type.Optional(
      Type.Object({
        templates: Type.Optional(Named),
        index_template: Type.Optional(Type.Object({ index_template: Named })),
        component_template: Type.Optional(Type.Object({ component_template: Named })),
        stored_scripts: Type.Optional(Named),
        repositories: Type.Optional(Named),
        ingest: Type.Optional(Type.Object({ pipeline: Type.Array(Type.Object({ id: Type.String() })) })),
        search_pipeline: Type.Optional(
          Type.Object({ pipeline: Type.Array(Type.Object({ id: Type.String() })) }),
        ),
      }),
    ),
  }),
);

/** Something that is in no index. */
export interface ClusterWide {
  /** as it reads in a message */
  readonly what: string;
  readonly remove: (http: HttpClient) => Promise<unknown>;
}

/** What of the whole cluster is set or stored: settings, templates, pipelines, scripts, repositories. */
export async function readClusterWide({ openSearchUrls }: Servers): Promise<readonly ClusterWide[]> {
  return withClient(openSearchUrls, async (http) => {
    const [settings, { metadata = {} }] = await Promise.all([
      callJson(http, parseSettings, 'GET', '/_cluster/settings?flat_settings=true'),
      callJson(
        http,
        parseMetadata,
        'GET',
        '/_cluster/state/metadata?filter_path=metadata.*,-metadata.indices',
      ),
    ]);
    const ids = (list: readonly { id: string }[] = []): readonly string[] => list.map(({ id }) => id);
    const names = (record: object = {}): readonly string[] => Object.keys(record);
    return [
      ...(['persistent', 'transient'] as const).flatMap((kind) =>
        Object.entries(settings[kind]).map(([name, value]) => ({
          what: `${kind} cluster setting ${name}: ${String(value)}`,
          remove: (http: HttpClient) =>
            callJson(http, parseSettings, 'PUT', '/_cluster/settings', { [kind]: { [name]: null } }),
        })),
      ),
      ...stored('template', '/_template/', names(metadata.templates)),
      ...stored('index template', '/_index_template/', names(metadata.index_template?.index_template)),
      ...stored(
        'component template',
        '/_component_template/',
        names(metadata.component_template?.component_template),
      ),
      ...stored('script', '/_scripts/', names(metadata.stored_scripts)),
      ...stored('repository', '/_snapshot/', names(metadata.repositories)),
      ...stored('ingest pipeline', '/_ingest/pipeline/', ids(metadata.ingest?.pipeline)),
      ...stored('search pipeline', '/_search/pipeline/', ids(metadata.search_pipeline?.pipeline)),
    ];
  });
}

function stored(kind: string, path: string, names: readonly string[]): readonly ClusterWide[] {
  return names.map((name) => ({
    what: `${kind} ${name}`,
    remove: (http) => callRaw(http, { method: 'DELETE', path: path + encodeURIComponent(name) }),
  }));
}

/** Takes away what is there now and was not there before. @returns a line for each */
export async function removeNew(
  servers: Servers,
  before: readonly ClusterWide[],
): Promise<readonly string[]> {
  const known = new Set(before.map(({ what }) => what));
  const added = (await readClusterWide(servers)).filter(({ what }) => !known.has(what));
  await withClient(servers.openSearchUrls, async (http) => {
    for (const { remove } of added) await remove(http);
  });
  return added.map(({ what }) => what);
}

const parseIndices = createParser(
  'answer of _alias',
  Type.Record(Type.String(), Type.Object({ aliases: Named })),
);

const parseRecords = createParser(
  'migrations in an answer of _search',
  Type.Object({
    hits: Type.Object({
      hits: Type.Array(
        Type.Object({
          _source: Type.Object({ migration_id: Type.String(), phase: Type.String() }),
        }),
      ),
    }),
  }),
);

const parseSearchContexts = createParser(
  'answer of _nodes/stats',
  Type.Object({
    nodes: Type.Record(
      Type.String(),
      Type.Object({
        indices: Type.Object({
          search: Type.Object({ open_contexts: Type.Integer() }),
        }),
      }),
    ),
  }),
);

const terminal = ['COMPLETED', 'CANCELLED', 'FAILED'];
const recordsIndex = '.aosc-migrations';

/**
 * What a file has left that has used the servers, and whose service has ended: migrations that have not ended, the
 * service's hidden aliases, points in time, searches, what is there cluster-wide, jobs of shards. Indices are no trace.
 * @returns a line for each
 */
export async function findTraces(servers: Servers): Promise<readonly string[]> {
  const { openSearchUrls, redisUrl } = servers;
  return withClient(openSearchUrls, async (http) => {
    // First, because the search for the migrations would be counted.
    const searches = await countOpenSearches(http);
    const [clusterWide, migrations, indices, jobs] = await Promise.all([
      readClusterWide(servers),
      readMigrations(http),
      callJson(http, parseIndices, 'GET', '/_alias?expand_wildcards=all'),
      findShardJobs(redisUrl),
    ]);
    return [
      ...clusterWide.map(({ what }) => what),
      ...migrations
        .filter(({ phase }) => !terminal.includes(phase))
        .map(({ migration_id: id, phase }) => `migration ${id} in ${phase}`),
      ...Object.entries(indices).flatMap(([index, { aliases }]) =>
        Object.keys(aliases)
          .filter((alias) => alias.startsWith('aosc-'))
          .map((alias) => `alias ${alias} of ${index}`),
      ),
      ...(searches > 0 ? [`${searches} open searches or points in time`] : []),
      ...jobs,
    ];
  });
}

const mostLooks = 50;

/** Scrolls, points in time, and what still searches once it had time to end: its client may have gone before. */
async function countOpenSearches(http: HttpClient): Promise<number> {
  for (let looks = 1; ; looks += 1) {
    const { nodes } = await callJson(http, parseSearchContexts, 'GET', '/_nodes/stats/indices/search');
    const count = Object.values(nodes).reduce((sum, { indices }) => sum + indices.search.open_contexts, 0);
    if (count === 0 || looks === mostLooks) return count;
    await sleep(100);
  }
}

async function readMigrations(http: HttpClient) {
  await callRaw(http, { method: 'POST', path: `/${recordsIndex}/_refresh?ignore_unavailable=true` });
  const path = `/${recordsIndex}/_search?ignore_unavailable=true`;
  const query = { term: { kind: 'migration' } };
  const { hits } = await callJson(http, parseRecords, 'POST', path, { size: 10_000, query });
  return hits.hits.map(({ _source }) => _source);
}

/** Lists of BullMQ with jobs which are still to be done, but for the scheduler's, which stay when no scheduler runs. */
const pendingJobs = `
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local list = not string.find(key, ':advance:', 1, true) and string.match(key, ':([a-z]+)$')
  local kind = redis.call('TYPE', key).ok
  local count = 0
  if list == 'wait' or list == 'active' or list == 'paused' then
    if kind == 'list' then count = redis.call('LLEN', key) end
  elseif list == 'delayed' or list == 'prioritized' then
    if kind == 'zset' then count = redis.call('ZCARD', key) end
  end
  if count > 0 then table.insert(found, count .. ' jobs in ' .. key) end
end
return table.concat(found, '\\n')`;

async function findShardJobs(redisUrl: string): Promise<readonly string[]> {
  const answer = await commandRedis(redisUrl, ['EVAL', pendingJobs, '0']);
  const text = /^\$\d+\r\n([\s\S]*)\r\n$/.exec(answer)?.[1];
  if (text === undefined) throw new Error(`Redis does not list its jobs: ${answer}`);
  return text.split('\n').filter(Boolean);
}

/** Takes away all indices, and all that is in Redis: what a file may leave that leaves no trace. */
export async function clearServers({ openSearchUrls, redisUrl }: Servers): Promise<void> {
  await withClient(openSearchUrls, (http) =>
    callRaw(http, { method: 'DELETE', path: '/*?expand_wildcards=all' }),
  );
  const answer = await commandRedis(redisUrl, ['FLUSHALL']);
  if (!answer.startsWith('+OK')) throw new Error(`FLUSHALL: ${answer}`);
}

async function withClient<T>(urls: readonly string[], use: (http: HttpClient) => Promise<T>): Promise<T> {
  const http = createHttpClient(urls);
  try {
    return await use(http);
  } finally {
    http.close();
  }
}

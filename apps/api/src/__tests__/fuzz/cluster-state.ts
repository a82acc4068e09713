import { connect } from 'node:net';
import { callRaw, type HttpClient } from '@aosc/testkit';

/** Everything that a request to the API could change, as text to compare. */
export type ClusterState = Readonly<Record<string, unknown>>;

const everything = 'expand_wildcards=all';

/** Reads the service's records, all that OpenSearch keeps of indices, and the queue's keys. */
export async function readState(
  http: HttpClient,
  { redisUrl, prefix }: { readonly redisUrl: string; readonly prefix: string },
): Promise<ClusterState> {
  const get = async (path: string) => read(await callRaw(http, { method: 'GET', path }));
  await callRaw(http, { method: 'POST', path: `/_all/_refresh?${everything}` });
  const records = 'size=1000&seq_no_primary_term=true&version=true&sort=_id';
  return {
    records: await get(`/.aosc-migrations/_search?${records}&filter_path=hits.hits`),
    clusterSettings: await get('/_cluster/settings?flat_settings=true'),
    aliases: await get(`/_alias?${everything}`),
    settings: await get(`/_all/_settings?flat_settings=true&${everything}`),
    mappings: await get(`/_all/_mapping?${everything}`),
    documents: await get(
      `/_cat/indices?format=json&h=index,status,docs.count,docs.deleted&s=index&${everything}`,
    ),
    pipelinesAndScripts: await get(
      '/_cluster/state/metadata?filter_path=metadata.ingest,metadata.stored_scripts',
    ),
    snapshots: await get(
      '/_nodes/stats/indices/search?filter_path=nodes.*.indices.search.point_in_time_current',
    ),
    redis: await readKeys(redisUrl, prefix),
  };
}

const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));

/** The keys of a prefix with a hash of what each holds. */
function readKeys(redisUrl: string, prefix: string): Promise<string> {
  const script = [
    'local found = {}',
    `for _, key in ipairs(redis.call('KEYS', '${prefix}*')) do`,
    "found[#found + 1] = key .. ' ' .. redis.sha1hex(redis.call('DUMP', key))",
    "end table.sort(found) return table.concat(found, ' | ')",
  ].join(' ');
  const { hostname, port } = new URL(redisUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.setEncoding('utf8');
    socket.once('connect', () => socket.write(`EVAL "${script}" 0\r\n`));
    socket.once('error', reject);
    socket.on('data', (chunk: string) => {
      text += chunk;
      const [, length, content = ''] = /^\$(\d+)\r\n([^]*)$/.exec(text) ?? [];
      if (text.startsWith('-')) reject(new Error(`Redis: ${text}`));
      else if (length === undefined || content.length < Number(length)) return;
      else resolve(content.slice(0, Number(length)));
      socket.destroy();
    });
  });
}

import { aliasPath, indexPath, type SendRequest } from '@aosc/opensearch';
import { refusedIndex, systemIndex } from '@aosc/store';

/**
 * A request as a migration sends it. A permission check can ask about it without executing it. Where there is no
 * verdict the service sends those with GET, so their answers are kept small.
 */
export interface NeededRequest {
  readonly what: SendRequest;
  /** undefined: the request is about the cluster as a whole */
  readonly index?: string;
  /** a migration goes on without it, only slower */
  readonly optional?: true;
}

type Method = SendRequest['method'];

/**
 * The requests of a whole migration, one for each permission that it needs. Bodies are empty where OpenSearch reads
 * them only after the check.
 * @param names of a source, a target and an alias that are valid names
 */
export function neededRequests(names: {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
  /** the target is made of files */
  readonly byFiles?: boolean;
  /** documents that the target refuses are set aside */
  readonly setsAside?: boolean;
}): readonly NeededRequest[] {
  const { source, target, alias, byFiles = false, setsAside = false } = names;
  return [
    ...(byFiles ? ofFiles(source, target) : []),
    ...ofCluster(source, target, alias),
    ...ofBoth(source),
    ...ofBoth(target),
    ...ofSource(source, alias),
    ...ofTarget(target, alias),
    ...ofOwnIndex(systemIndex, ['PUT', `/${systemIndex}/_mapping`, {}]),
    ...(setsAside ? ofOwnIndex(refusedIndex) : []),
  ];
}

/** a search that finds nothing */
const nothing = { size: 0, query: { match_none: {} } };

function ofCluster(source: string, target: string, alias: string): readonly NeededRequest[] {
  const line = `${JSON.stringify({ delete: { _id: 'aosc-probe' } })}\n`;
  return [
    { what: get('/') },
    { what: get(`/_cluster/state/metadata/${indexPath(source)}`, 'cluster_uuid') },
    { what: get('/_cluster/health') },
    { what: get('/_nodes/data:true', '_nodes') },
    { what: post(`/${indexPath(target)}/_bulk`, line, 'application/x-ndjson') },
    { what: post(`/${indexPath(target)}/_mget`, { docs: [{ _id: 'aosc-probe' }] }) },
    { what: get(`/_alias/${aliasPath(alias)}`), index: '*' },
    { what: { ...get('/_tasks'), query: { actions: 'indices:data/write/bulk' } }, optional: true },
    {
      what: { method: 'POST', path: '/_cluster/reroute', query: { retry_failed: true, metric: 'none' } },
      optional: true,
    },
  ];
}

function ofBoth(index: string): readonly NeededRequest[] {
  const path = `/${indexPath(index)}`;
  const snapshot = {
    method: 'POST',
    path: `${path}/_search/point_in_time`,
    query: { keep_alive: '10s' },
  } as const;
  return [
    ...onIndex(index, [
      ['POST', `${path}/_refresh`],
      ['GET', `${path}/_search`, nothing],
      ['PUT', `${path}/_settings`, { 'index.blocks.write': null }],
    ]),
    { index, what: get(path, '*.settings.index.uuid') },
    { index, what: get(`${path}/_stats/indexing`, '_shards') },
    { index, what: snapshot },
  ];
}

function ofSource(index: string, alias: string): readonly NeededRequest[] {
  const path = `/${indexPath(index)}`;
  return onIndex(index, [
    ['POST', `${path}/_flush`],
    ['PUT', `${path}/_block/write`],
    ['POST', '/_aliases', { actions: [{ remove: { index, alias, must_exist: false } }] }],
  ]);
}

function ofTarget(index: string, alias: string): readonly NeededRequest[] {
  const path = `/${indexPath(index)}`;
  return onIndex(index, [
    ['POST', '/_aliases', { actions: [{ add: { index, alias } }] }],
    ['PUT', `${path}/_doc/aosc-probe`, {}],
    ['DELETE', `${path}/_doc/aosc-probe`],
    ['PUT', `${path}/_mapping`, {}],
  ]);
}

/** The other permissions on a target that the service makes and removes are asked about like those on an existing target. */
function ofFiles(source: string, target: string): readonly NeededRequest[] {
  // A split without a number of shards is refused before its permission is asked for.
  const split = { settings: { 'index.number_of_shards': 1 } };
  return [
    // OpenSearch wants the permission on both.
    ...onIndex(`${source}, ${target}`, [['PUT', `/${indexPath(source)}/_split/${indexPath(target)}`, split]]),
    ...onIndex(target, [['DELETE', `/${indexPath(target)}`]]),
  ];
}

/** An index of the service's own. */
function ofOwnIndex(index: string, ...further: Parameters<typeof onIndex>[1]): readonly NeededRequest[] {
  const path = `/${index}`;
  return onIndex(index, [
    ['PUT', path, {}],
    ...further,
    ['PUT', `${path}/_doc/aosc-probe`, {}],
    ['DELETE', `${path}/_doc/aosc-probe`],
    ['GET', `${path}/_search`, nothing],
  ]);
}

function onIndex(
  index: string,
  requests: readonly (readonly [method: Method, path: string, body?: object])[],
): NeededRequest[] {
  return requests.map(([method, path, body]) => ({
    index,
    what: { method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  }));
}

function get(path: string, filter?: string) {
  return { method: 'GET', path, ...(filter !== undefined && { query: { filter_path: filter } }) } as const;
}

function post(path: string, body: string | object, contentType = 'application/json'): SendRequest {
  return { method: 'POST', path, contentType, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

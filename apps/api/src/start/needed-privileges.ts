import { aliasPath, indexPath, type SendRequest } from '@aosc/opensearch';
import { systemIndex } from '@aosc/store';

/** A request as a migration sends it; permission for it can be asked about without sending it. */
export interface NeededRequest {
  readonly what: SendRequest;
  /** undefined: it is about the cluster as a whole */
  readonly index?: string;
  /** a migration goes on without it, only slower */
  readonly optional?: true;
}

type Method = SendRequest['method'];

/**
 * The requests of a whole migration, one for each permission that it needs. Bodies are empty where OpenSearch reads
 * them only after the check.
 * @param names of a source, a target and an alias that are names
 */
export function neededRequests(names: {
  readonly source: string;
  readonly target: string;
  readonly alias: string;
}): readonly NeededRequest[] {
  const { source, target, alias } = names;
  return [
    ...ofCluster(source, target, alias),
    ...ofBoth(source),
    ...ofBoth(target),
    ...ofSource(source, alias),
    ...ofTarget(target, alias),
    ...ofSystemIndex(),
  ];
}

function ofCluster(source: string, target: string, alias: string): readonly NeededRequest[] {
  const line = `${JSON.stringify({ delete: { _id: 'aosc-probe' } })}\n`;
  return [
    { what: { method: 'GET', path: '/' } },
    { what: { method: 'GET', path: `/_cluster/state/metadata/${indexPath(source)}` } },
    { what: { method: 'GET', path: `/_cluster/health/${indexPath(target)}` } },
    { what: { method: 'GET', path: '/_nodes/data:true' } },
    { what: post(`/${indexPath(target)}/_bulk`, line, 'application/x-ndjson') },
    { what: post(`/${indexPath(target)}/_mget`, { docs: [{ _id: 'aosc-probe' }] }) },
    { what: { method: 'GET', path: `/_alias/${aliasPath(alias)}` }, index: '*' },
    { what: { method: 'GET', path: '/_tasks' }, optional: true },
    {
      what: { method: 'POST', path: '/_cluster/reroute', query: { retry_failed: true, metric: 'none' } },
      optional: true,
    },
  ];
}

function ofBoth(index: string): readonly NeededRequest[] {
  const path = `/${indexPath(index)}`;
  return onIndex(index, [
    ['GET', path],
    ['GET', `${path}/_stats/indexing`],
    ['POST', `${path}/_refresh`],
    ['POST', `${path}/_search`, { size: 0 }],
    ['PUT', `${path}/_settings`, { 'index.blocks.write': null }],
  ]).concat({
    index,
    what: { method: 'POST', path: `${path}/_search/point_in_time`, query: { keep_alive: '10s' } },
  });
}

function ofSource(index: string, alias: string): readonly NeededRequest[] {
  const path = `/${indexPath(index)}`;
  return onIndex(index, [
    ['GET', `${path}/_mapping`],
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

function ofSystemIndex(): readonly NeededRequest[] {
  const path = `/${systemIndex}`;
  return onIndex(systemIndex, [
    ['PUT', path, {}],
    ['PUT', `${path}/_mapping`, {}],
    ['PUT', `${path}/_doc/aosc-probe`, {}],
    ['DELETE', `${path}/_doc/aosc-probe`],
    ['POST', `${path}/_search`, { size: 0 }],
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

function post(path: string, body: string | object, contentType = 'application/json'): SendRequest {
  return { method: 'POST', path, contentType, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

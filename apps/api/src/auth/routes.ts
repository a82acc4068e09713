import type { Role } from '@aosc/contract';
import type { AuditedAction } from './audited-route';

export interface RouteAccess {
  /** `open`: asked by probes that have no credentials */
  readonly role: Role | 'open';
  /** what the audit log calls it; undefined: reading is not logged */
  readonly action?: AuditedAction;
  /** the index the path names, decoded */
  readonly index?: string;
}

interface Rule extends Omit<RouteAccess, 'index'> {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** `:index`, `:id` and `:shard` stand for one part of the path each; `/**` at the end for the path and everything below it */
  readonly path: string;
}

const plugin = '/_plugins/_aosc';
/** Where Bull Board is. */
export const boardPath = '/queues';

/** The role that each route needs, in one place. A route that is not listed needs admin. */
export const routeTable: readonly Rule[] = [
  { method: 'GET', path: '/healthz', role: 'open' },
  { method: 'GET', path: '/readyz', role: 'open' },
  { method: 'GET', path: '/metrics', role: 'read' },
  { method: 'GET', path: '/openapi.json', role: 'read' },
  { method: 'GET', path: '/_cluster/settings', role: 'read' },
  { method: 'PUT', path: '/_cluster/settings', role: 'admin', action: 'change_settings' },
  { method: 'GET', path: `${plugin}/_list`, role: 'read' },
  { method: 'GET', path: `${plugin}/_session`, role: 'open' },
  { method: 'POST', path: `${plugin}/_session`, role: 'read', action: 'sign_in' },
  { method: 'DELETE', path: `${plugin}/_session`, role: 'open', action: 'sign_out' },
  { method: 'GET', path: `${plugin}/_events`, role: 'read' },
  { method: 'POST', path: `${plugin}/_admin/_cleanup_leases`, role: 'admin', action: 'cleanup_leases' },
  { method: 'POST', path: `${plugin}/_admin/_clear_state`, role: 'admin', action: 'clear_state' },
  { method: 'GET', path: `${plugin}/:index/_status`, role: 'read' },
  { method: 'GET', path: `${plugin}/:index/_timeline`, role: 'read' },
  { method: 'GET', path: `${plugin}/:index/_shards/:shard`, role: 'read' },
  { method: 'GET', path: `${plugin}/_indices`, role: 'read' },
  { method: 'GET', path: `${plugin}/_migrations/:id`, role: 'read' },
  { method: 'GET', path: `${plugin}/_migrations/:id/_timeline`, role: 'read' },
  { method: 'GET', path: `${plugin}/_migrations/:id/_shards/:shard`, role: 'read' },
  { method: 'GET', path: `${plugin}/_migrations/:id/_indices`, role: 'read' },
  { method: 'POST', path: `${plugin}/:index/_start`, role: 'operate', action: 'start' },
  { method: 'POST', path: `${plugin}/:index/_create_target`, role: 'operate', action: 'create_target' },
  {
    method: 'POST',
    path: `${plugin}/:index/_preview_transform`,
    role: 'operate',
    action: 'preview_transform',
  },
  { method: 'POST', path: `${plugin}/:index/_cancel`, role: 'operate', action: 'cancel' },
  { method: 'GET', path: '/queues/**', role: 'read' },
];

/**
 * What a request needs. Express lets a path end in a slash and answers HEAD like GET, so both are the same here.
 * @param path without the query
 */
export function accessOf(method: string, path: string): RouteAccess {
  const parts = splitPath(path);
  const asked = method === 'HEAD' ? 'GET' : method;
  for (const { method: ruled, path: pattern, ...access } of routeTable) {
    if (ruled !== asked) continue;
    const index = matchPath(pattern.split('/'), parts);
    if (index === false) continue;
    return index === undefined ? access : { ...access, index };
  }
  return { role: 'admin' };
}

function splitPath(path: string): readonly string[] {
  return (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/');
}

/** @returns false: another path; otherwise the index it names, if any */
function matchPath(pattern: readonly string[], parts: readonly string[]): string | undefined | false {
  if (pattern.at(-1) === '**')
    return pattern.slice(0, -1).every((part, at) => part === parts[at]) ? undefined : false;
  if (parts.length !== pattern.length) return false;
  let index: string | undefined;
  for (const [position, expected] of pattern.entries()) {
    const part = parts[position];
    if (expected === ':index' && part !== undefined && part !== '') index = decode(part);
    else if (expected === ':shard' || expected === ':id' ? part === '' : part !== expected) return false;
  }
  return index;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

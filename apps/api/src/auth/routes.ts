import { unescape } from 'node:querystring';
import { type AuditedAction, findOperation, type Role } from '@aosc/contract';

export interface RouteAccess {
  /** `open`: asked by probes that have no credentials */
  readonly role: Role | 'open';
  /** what the audit log calls it; undefined: reading is not logged */
  readonly action?: AuditedAction | undefined;
  /** the index the path names, decoded */
  readonly index?: string | undefined;
}

/** Where Bull Board is. */
export const boardPath = '/queues';

/**
 * What a request needs, by the contract's table of operations. A path that has no operation needs admin.
 * @param path without the query
 */
export function accessOf(method: string, path: string): RouteAccess {
  const operation = findOperation(method, path);
  if (operation === undefined) {
    const isLook = method === 'GET' || method === 'HEAD';
    return { role: isLook && `${path}/`.startsWith(`${boardPath}/`) ? 'read' : 'admin' };
  }
  const { role, action } = operation;
  const index = path.split('/')[operation.path.split('/').indexOf('{index}')];
  return { role, action, index: index && unescape(index) };
}

import { createParser } from '@aosc/contract';
import { type Call, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient, SendRequest } from '../client/types';

const parse = createParser(
  'answer of a permission check',
  Type.Object({ accessAllowed: Type.Boolean(), missingPrivileges: Type.Array(Type.String()) }),
);

/**
 * A request with `perform_permission_check`, which the security plugin (since 3.4) answers instead of executing it. The
 * plugin looks at the action of the request itself, not at those of its shards (`bulk[s]`, `mget[shard]`). A node that
 * does not know the parameter refuses the request (400), like every unknown parameter. Some handlers can't render the
 * verdict, because they wait for an answer of their own kind (500, class_cast_exception).
 * @returns the permissions that the service's user lacks; undefined where there is no verdict
 */
export async function askPermission(
  client: OpenSearchClient,
  what: SendRequest,
  call: Call,
): Promise<readonly string[] | undefined> {
  // A filter of the answer would remove the verdict.
  const { filter_path: _filter, ...query } = what.query ?? {};
  const asked = { ...what, query: { ...query, perform_permission_check: true } };
  try {
    const { accessAllowed, missingPrivileges } = await requestJson(client, asked, parse, call);
    if (accessAllowed) return [];
    return missingPrivileges.length > 0 ? missingPrivileges : [`${what.method} ${what.path}`];
  } catch (error) {
    if (isClusterError(error, 'invalid') || isUnrendered(error)) return undefined;
    throw error;
  }
}

function isUnrendered(error: unknown): boolean {
  return isClusterError(error) && error.message.includes('PermissionCheckResponse');
}

/**
 * Whether the cluster answers permission checks. This request does no harm if the cluster executes it: only after a yes
 * may the service ask about others.
 */
export async function answersPermissionChecks(client: OpenSearchClient, call: Call): Promise<boolean> {
  try {
    return (await askPermission(client, { method: 'GET', path: '/_cluster/health' }, call)) !== undefined;
  } catch (error) {
    // The answer is the cluster's health: the parameter was lost on the way.
    if (isClusterError(error, 'transient') && error.details.status === undefined) return false;
    throw error;
  }
}

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
 * A request with `perform_permission_check`, which the security plugin (3.4 knows it) answers instead of carrying it
 * out. It looks at the action of the request itself, not at those of its shards (`bulk[s]`, `mget[shard]`).
 * A node that does not know the parameter refuses the request (400), as every unknown parameter.
 * Some handlers can't render the verdict, because they wait for an answer of their own kind (500, class_cast_exception).
 * @returns the permissions that the service's user lacks; undefined where no verdict is to be had
 */
export async function askPermission(
  client: OpenSearchClient,
  what: SendRequest,
  call: Call,
): Promise<readonly string[] | undefined> {
  // A filter of the answer would take the verdict out of it.
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
 * Whether the cluster answers permission checks. Asked with a request that does no harm when it is carried out: only
 * behind a yes may others be asked about.
 */
export async function answersPermissionChecks(client: OpenSearchClient, call: Call): Promise<boolean> {
  try {
    return (await askPermission(client, { method: 'GET', path: '/_cluster/health' }, call)) !== undefined;
  } catch (error) {
    // What came is the cluster's health: the parameter was lost on the way.
    if (isClusterError(error, 'transient') && error.details.status === undefined) return false;
    throw error;
  }
}

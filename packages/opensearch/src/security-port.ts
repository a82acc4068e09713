import { createParser } from '@aosc/contract';
import { type Call, isClusterError, instead } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { classifyInnerError } from './client/classify';
import { request, requestJson, type OpenSearchClient, type SendRequest } from './client/request';
import { indexPath } from './index-path';

const parseVerdict = createParser(
  'answer of a permission check',
  Type.Object({ accessAllowed: Type.Boolean(), missingPrivileges: Type.Array(Type.String()) }),
);
const parseUser = createParser('answer of authinfo', Type.Object({ user_name: Type.String() }));
const parseBulk = createParser(
  'answer of _bulk',
  Type.Object({
    items: Type.Array(
      Type.Object({ delete: Type.Object({ status: Type.Integer(), error: Type.Optional(Type.Unknown()) }) }),
    ),
  }),
);

/** The security plugin's message when it refuses an update because one of the three is active (DlsFlsValveImpl). */
const refusal = 'not supported when FLS or DLS or Fieldmasking is activated';
/** No document has this number: nothing can match, so OpenSearch deletes nothing and records no operation. */
const impossibleSeqNo = Number.MAX_SAFE_INTEGER;

/** What the service's own user may do. No call here changes anything. */
export interface SecurityPort {
  /**
   * `GET _plugins/_security/authinfo`, which the security plugin answers to every user.
   * @returns undefined on a cluster without the security plugin ("no handler found")
   */
  readOwnUser(call: Call): Promise<string | undefined>;
  /**
   * Whether the cluster answers permission checks. The request does no harm if the cluster executes it: only after a yes
   * may the service ask about others.
   */
  answersPermissionChecks(call: Call): Promise<boolean>;
  /**
   * A request with `perform_permission_check`, which the security plugin (since 3.4) answers instead of executing it. The
   * plugin looks at the action of the request itself, not at those of its shards (`bulk[s]`, `mget[shard]`). A node that
   * does not know the parameter refuses the request (400), like every unknown parameter. Some handlers can't render the
   * verdict, because they wait for an answer of their own kind (500, class_cast_exception). Only after
   * {@link answersPermissionChecks}: otherwise the cluster could execute the request.
   * @returns the permissions that the service's user lacks; undefined where there is no verdict
   */
  askPermission(what: SendRequest, call: Call): Promise<readonly string[] | undefined>;
  /** Sends a request that only reads, to see whether it is refused. It drops the answer. */
  tryRead(what: SendRequest & { readonly method: 'GET' }, call: Call): Promise<void>;
  /**
   * Whether document-level security, field-level security or masked fields are active for the service's user on an index.
   * No endpoint shows that to a user, and reads don't show it: the plugin filters them silently. But under such rules it
   * refuses every update before OpenSearch executes it, whatever it is about. This one is about no document, and
   * `require_alias` makes OpenSearch refuse it for the name of an index, so that it reaches no shard and creates no index.
   * @throws ClusterError 'forbidden' when the user lacks `indices:data/write/update`
   */
  isRestricted(index: string, call: Call): Promise<boolean>;
  /**
   * A bulk with one delete that can't succeed (409), to see whether a bulk gets as far as the shards. A delete without an
   * external version creates no index.
   * @throws ClusterError 'forbidden' with the permissions that are missing
   */
  tryDelete(index: string, call: Call): Promise<void>;
}

export function createSecurityPort(client: OpenSearchClient): SecurityPort {
  const port: SecurityPort = {
    async readOwnUser(call) {
      const what = { method: 'GET', path: '/_plugins/_security/authinfo' } as const;
      const asked = requestJson(client, what, parseUser, call);
      // A managed service may refuse the path to every user. Wrong credentials show in every other call, too.
      return (await asked.catch(instead(undefined, 'invalid', 'not_found', 'forbidden')))?.user_name;
    },
    async answersPermissionChecks(call) {
      try {
        const what = { method: 'GET', path: '/_cluster/health' } as const;
        return (await port.askPermission(what, call)) !== undefined;
      } catch (error) {
        // The answer is the cluster's health: the parameter was lost on the way.
        if (isClusterError(error, 'transient') && error.details.status === undefined) return false;
        throw error;
      }
    },
    async askPermission(what, call) {
      // A filter of the answer would remove the verdict.
      const { filter_path: _filter, ...query } = what.query ?? {};
      const asked = { ...what, query: { ...query, perform_permission_check: true } };
      try {
        const { accessAllowed, missingPrivileges } = await requestJson(client, asked, parseVerdict, call);
        if (accessAllowed) return [];
        return missingPrivileges.length > 0 ? missingPrivileges : [`${what.method} ${what.path}`];
      } catch (error) {
        const isUnrendered = isClusterError(error) && error.message.includes('PermissionCheckResponse');
        if (isClusterError(error, 'invalid') || isUnrendered) return undefined;
        throw error;
      }
    },
    async tryRead(what, call) {
      await request(client, what, call);
    },
    async isRestricted(index, call) {
      const what = {
        method: 'POST',
        path: `/${indexPath(index)}/_update/aosc-probe`,
        query: { require_alias: true, routing: 'aosc-probe' },
        body: '{"doc":{}}',
      } as const;
      try {
        await request(client, what, call);
        return false;
      } catch (error) {
        if (isClusterError(error) && error.message.includes(refusal)) return true;
        // A check after the security plugin's has refused the update, so the plugin had let it pass.
        if (isClusterError(error, 'not_found', 'blocked', 'invalid', 'conflict')) return false;
        throw error;
      }
    },
    async tryDelete(index, call) {
      const position = { if_seq_no: impossibleSeqNo, if_primary_term: 1 };
      const action = { delete: { _id: 'aosc-probe', routing: 'aosc-probe', ...position } };
      const what = {
        method: 'POST',
        path: `/${indexPath(index)}/_bulk`,
        query: { timeout: '5s' },
        contentType: 'application/x-ndjson',
        body: `${JSON.stringify(action)}\n`,
      } as const;
      const answer = await requestJson(client, what, parseBulk, call);
      const refused = answer.items.find((item) => item.delete.status === 403);
      if (refused !== undefined) throw classifyInnerError(`POST ${what.path}`, refused.delete.error);
    },
  };
  return port;
}

import type { Call } from '@aosc/engine';
import { answersPermissionChecks, askPermission } from './calls/ask-permission';
import { isRestricted } from './calls/find-restrictions';
import { readOwnUser } from './calls/read-own-user';
import { tryDelete } from './calls/try-delete';
import { request } from './client/request';
import type { OpenSearchClient, SendRequest } from './client/types';

/** What the service's own user may do. No call here changes anything. */
export interface SecurityPort {
  /** @returns undefined on a cluster without the security plugin */
  readOwnUser(call: Call): Promise<string | undefined>;
  answersPermissionChecks(call: Call): Promise<boolean>;
  /** Only after {@link answersPermissionChecks}: otherwise the cluster could execute the request. */
  askPermission(what: SendRequest, call: Call): Promise<readonly string[] | undefined>;
  /** Sends a request that only reads, to see whether it is refused. It drops the answer. */
  tryRead(what: SendRequest & { readonly method: 'GET' }, call: Call): Promise<void>;
  /** Whether rules hide documents or fields from the user. */
  isRestricted(index: string, call: Call): Promise<boolean>;
  /** Whether a bulk reaches the index. */
  tryDelete(index: string, call: Call): Promise<void>;
}

export function createSecurityPort(client: OpenSearchClient): SecurityPort {
  return {
    readOwnUser: (call) => readOwnUser(client, call),
    answersPermissionChecks: (call) => answersPermissionChecks(client, call),
    askPermission: (what, call) => askPermission(client, what, call),
    tryRead: async (what, call) => {
      await request(client, what, call);
    },
    isRestricted: (index, call) => isRestricted(client, index, call),
    tryDelete: (index, call) => tryDelete(client, index, call),
  };
}

import { createParser } from '@aosc/contract';
import { type Call, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser('answer of authinfo', Type.Object({ user_name: Type.String() }));

/**
 * `GET _plugins/_security/authinfo`, which the security plugin answers to every user.
 * @returns the service's user name; undefined on a cluster without the plugin ("no handler found")
 */
export async function readOwnUser(client: OpenSearchClient, call: Call): Promise<string | undefined> {
  const what = { method: 'GET', path: '/_plugins/_security/authinfo' } as const;
  try {
    return (await requestJson(client, what, parse, call)).user_name;
  } catch (error) {
    // A managed service may refuse the path to every user. Wrong credentials show in every other call, too.
    if (isClusterError(error, 'invalid', 'not_found', 'forbidden')) return undefined;
    throw error;
  }
}

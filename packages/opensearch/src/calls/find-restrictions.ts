import { type Call, type ClusterError, isClusterError } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

/** The security plugin's message when it refuses an update because one of the three is active (DlsFlsValveImpl). */
const refusal = 'not supported when FLS or DLS or Fieldmasking is activated';

/**
 * Whether document-level security, field-level security or masked fields are active for the service's user on an index.
 * No endpoint shows that to a user, and reads don't show it: the plugin filters them silently. But under such rules it
 * refuses every update before OpenSearch executes it, whatever it is about. This one is about no document, and
 * `require_alias` makes OpenSearch refuse it for the name of an index, so that it reaches no shard and creates no
 * index.
 * @throws ClusterError 'forbidden' when the user lacks `indices:data/write/update`
 */
export async function isRestricted(client: OpenSearchClient, index: string, call: Call): Promise<boolean> {
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
    if (!isClusterError(error)) throw error;
    if (error.message.includes(refusal)) return true;
    if (isHarmless(error)) return false;
    throw error;
  }
}

/** A check after the security plugin's has refused the update, so the plugin had let it pass. */
function isHarmless(error: ClusterError): boolean {
  return isClusterError(error, 'not_found', 'blocked', 'invalid', 'conflict');
}

import { type Call, instead } from '@aosc/engine';
import { request } from '../client/request';
import type { OpenSearchClient } from '../client/types';

/**
 * `POST _cluster/reroute?retry_failed`: OpenSearch gives an allocation up after five failures, and only this call
 * restarts it. Managed services often refuse it.
 */
export function retryFailedAllocations(client: OpenSearchClient, call: Call): Promise<boolean> {
  const query = { retry_failed: true, metric: 'none' };
  const asked = request(client, { method: 'POST', path: '/_cluster/reroute', query }, call);
  return asked.then(() => true).catch(instead(false, 'forbidden'));
}

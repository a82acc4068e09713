import { type ClusterPort, instead } from '@aosc/engine';
import type { Asks } from '../bind-calls';
import { request } from '../client/request';

/**
 * `POST _cluster/reroute?retry_failed`: OpenSearch gives an allocation up after five failures, and only this call
 * restarts it. Managed services often refuse it.
 */
export const retryFailedAllocations: Asks<ClusterPort['retryFailedAllocations']> = (client, call) => {
  const query = { retry_failed: true, metric: 'none' };
  const asked = request(client, { method: 'POST', path: '/_cluster/reroute', query }, call);
  return asked.then(() => true).catch(instead(false, 'forbidden'));
};

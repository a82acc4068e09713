import { createParser } from '@aosc/contract';
import { type Call, ClusterError, isClusterError } from '@aosc/engine';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { AcknowledgedSchema } from './shapes';

const parse = createParser('answer of PUT index', AcknowledgedSchema);

/**
 * `PUT {index}`. Several processes may start at once: the second gets "exists".
 * @param body settings, mappings, aliases
 * @throws ClusterError 'transient' when not every node has acknowledged in time: call it again
 */
export async function createIndex(
  client: OpenSearchClient,
  index: string,
  body: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<'created' | 'exists'> {
  const what = { method: 'PUT', path: `/${indexPath(index)}`, body: JSON.stringify(body) } as const;
  try {
    const { acknowledged } = await requestJson(client, what, parse, call);
    if (!acknowledged)
      throw new ClusterError('transient', `PUT ${what.path}: not acknowledged by every node`);
    return 'created';
  } catch (error) {
    if (isClusterError(error, 'conflict')) return 'exists';
    throw error;
  }
}

import { createParser } from '@aosc/contract';
import { type Call, isClusterError, isIndexMissing, type ResizeRequest } from '@aosc/engine';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { AcknowledgedSchema } from './shapes';

const parse = createParser('answer of a resize', AcknowledgedSchema);

/**
 * `PUT {source}/_split/{target}` or `_clone`. Everything that the source has set comes along, and `null` leaves a setting
 * out. An answer that not every node has acknowledged is one: the cluster manager has made the index.
 */
export async function resizeIndex(
  client: OpenSearchClient,
  target: string,
  { source, kind, settings, alias }: ResizeRequest,
  call: Call,
): Promise<'created' | 'exists'> {
  const path = `/${indexPath(source)}/_${kind}/${indexPath(target)}`;
  const body = JSON.stringify({ settings, aliases: { [alias]: { is_hidden: true } } });
  const what = { method: 'PUT', path, body, query: { wait_for_active_shards: 0 } } as const;
  try {
    await requestJson(client, what, parse, call);
    return 'created';
  } catch (error) {
    if (isClusterError(error, 'conflict')) return 'exists';
    throw error;
  }
}

/** `DELETE {index}`. */
export async function removeIndex(client: OpenSearchClient, index: string, call: Call): Promise<void> {
  try {
    await requestJson(client, { method: 'DELETE', path: `/${indexPath(index)}` }, parse, call);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
  }
}

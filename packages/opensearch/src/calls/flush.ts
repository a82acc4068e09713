import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { onAllPrimaries } from './all-primaries';
import { ShardsSchema } from './shapes';

const parse = createParser('answer of _flush', Type.Object({ _shards: ShardsSchema }));

/**
 * `POST {index}/_flush?force&wait_if_ongoing`: syncs the translog, so that checkpoints move even with
 * `index.translog.durability: async`. Without `force` OpenSearch would skip an index without new segments.
 */
export async function flush(client: OpenSearchClient, index: string, call: Call): Promise<void> {
  const query = { force: true, wait_if_ongoing: true };
  const what = { method: 'POST', path: `/${indexPath(index)}/_flush`, query } as const;
  await onAllPrimaries(client, index, 'flush', () => requestJson(client, what, parse, call), call);
}

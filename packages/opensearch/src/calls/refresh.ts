import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';
import { onAllPrimaries } from './all-primaries';
import { ShardsSchema } from './shapes';

const parse = createParser('answer of _refresh', Type.Object({ _shards: ShardsSchema }));

/**
 * `POST {index}/_refresh`: searches and points in time opened after it show every operation acknowledged before the
 * call.
 * @throws ClusterError 'transient' unless every primary refreshed and no copy failed
 */
export async function refresh(client: OpenSearchClient, index: string, call: Call): Promise<void> {
  const what = { method: 'POST', path: `/${indexPath(index)}/_refresh` } as const;
  await onAllPrimaries(client, index, 'refresh', () => requestJson(client, what, parse, call), call);
}

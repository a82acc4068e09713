import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of GET index',
  Type.Record(
    Type.String(),
    Type.Object({
      mappings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      settings: Type.Object({ 'index.uuid': Type.String() }),
    }),
  ),
);

/**
 * `GET {index}`, from which this reads the mapping. `GET {index}/_mapping` returns the same, but needs a privilege of
 * its own.
 * @throws ClusterError 'transient' when there is no such concrete index any more
 */
export async function readMapping(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<Readonly<Record<string, unknown>>> {
  const path = `/${indexPath(index)}`;
  const query = { flat_settings: true, filter_path: '*.mappings,*.settings.*uuid' };
  const found = ownValue(await requestJson(client, { method: 'GET', path, query }, parse, call), index);
  if (found === undefined)
    throw new ClusterError('transient', `index ${index} is gone, or its name is an alias`);
  return found.mappings ?? {};
}

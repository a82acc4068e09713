import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const parse = createParser(
  'answer of _alias',
  Type.Record(Type.String(), Type.Object({ aliases: Type.Record(Type.String(), Type.Unknown()) })),
);

/** `GET _alias`: the open indices of the cluster with their aliases. A user who may swap may also call this. */
export async function listIndices(
  client: OpenSearchClient,
  call: Call,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = { expand_wildcards: 'open' };
  const found = await requestJson(client, { method: 'GET', path: '/_alias', query }, parse, call);
  return new Map(Object.entries(found).map(([name, { aliases }]) => [name, Object.keys(aliases)]));
}

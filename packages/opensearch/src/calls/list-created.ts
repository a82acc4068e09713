import { createParser } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { getJson, type OpenSearchClient } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser(
  'answer of GET index',
  Type.Record(
    Type.String(),
    Type.Object({ settings: Type.Object({ 'index.creation_date': Type.String() }) }),
  ),
);

/** `GET {prefix}*`: indices whose names begin like this, hidden ones too, with the time of their creation. */
export async function listCreated(
  client: OpenSearchClient,
  prefix: string,
  call: Call,
): Promise<readonly { readonly index: string; readonly createdMillis: number }[]> {
  const query = { expand_wildcards: 'all', flat_settings: true, filter_path: '*.settings.*creation_date' };
  const found = Object.entries(await getJson(client, `/${indexPath(prefix)}*`, query, parse, call));
  return found.map(([index, { settings }]) => {
    return { index, createdMillis: Number(settings['index.creation_date']) };
  });
}

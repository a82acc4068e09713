import { createParser, ownValue } from '@aosc/contract';
import { type Call, ClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';
import { indexPath } from '../index-path';

/** How much of each document's source an index keeps: all, a part, or nothing. */
export type SourceFilter = 'whole' | 'filtered' | 'disabled';

const Patterns = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]));
const parse = createParser(
  'answer of _mapping',
  Type.Record(
    Type.String(),
    Type.Object({
      mappings: Type.Object({
        _source: Type.Optional(
          Type.Object({
            enabled: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
            includes: Patterns,
            excludes: Patterns,
          }),
        ),
      }),
    }),
  ),
);

/** `GET {index}/_mapping`. Reads can't return what the `_source` field leaves out; only searches find it. */
export async function readSourceFilter(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<SourceFilter> {
  const path = `/${indexPath(index)}/_mapping`;
  const entry = ownValue(await requestJson(client, { method: 'GET', path }, parse, call), index);
  if (entry === undefined) throw new ClusterError('not_found', `there is no index [${index}]`);
  const { enabled = true, includes = [], excludes = [] } = entry.mappings._source ?? {};
  if (String(enabled) === 'false') return 'disabled';
  return includes.length + excludes.length > 0 ? 'filtered' : 'whole';
}

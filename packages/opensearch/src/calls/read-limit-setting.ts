import { createParser, ownValue } from '@aosc/contract';
import type { Call } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson } from '../client/request';
import type { OpenSearchClient } from '../client/types';

const Scope = Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.String())));
const parse = createParser(
  'answer of _cluster/settings',
  Type.Object({ persistent: Scope, transient: Scope, defaults: Scope }),
);

/** A number among the cluster's settings. */
export interface LimitSetting {
  /** the part before the only dot of its name */
  readonly group: string;
  readonly name: string;
  /** OpenSearch's own default, for a cluster that shows only settings that were set */
  readonly fallback: number;
}

/** Buckets that one search may return; the copy counts documents with as many. */
export const readBucketLimit = (client: OpenSearchClient, call: Call): Promise<number> =>
  readLimitSetting(client, { group: 'search', name: 'max_buckets', fallback: 65_535 }, call);

/** `GET _cluster/settings`, from which this reads one number. */
export async function readLimitSetting(
  client: OpenSearchClient,
  { group, name, fallback }: LimitSetting,
  call: Call,
): Promise<number> {
  const query = { include_defaults: true, filter_path: `*.${group}.${name}` };
  const settings = await requestJson(
    client,
    { method: 'GET', path: '/_cluster/settings', query },
    parse,
    call,
  );
  const { transient, persistent, defaults } = settings;
  const value = [transient, persistent, defaults]
    .map((scope) => ownValue(ownValue(scope ?? {}, group) ?? {}, name))
    .find((text) => text !== undefined);
  return Number(value ?? fallback);
}

import { callJson, callRaw } from './http/call-json';
import type { HttpClient } from './http/http-client';
import { parseAcknowledged, parseFlatSettings } from './http/shapes';

export type SettingValue = string | number | boolean | null;

export interface IndexOptions {
  readonly name: string;
  readonly shards: number;
  /** must be equal on both sides of a SPLIT_SHARD migration; left out: OpenSearch chooses */
  readonly routingShards?: number;
  /** default 0: a one-node cluster is green then */
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, SettingValue>>;
  readonly mappings?: Readonly<Record<string, unknown>>;
}

/** Takes the documents of `makeDocument`; what isn't listed is stored and not indexed. */
const defaultMappings = {
  dynamic: false,
  properties: { key: { type: 'keyword' }, revision: { type: 'long' }, title: { type: 'text' } },
} as const;

/** Makes an index with an alias on it, as the application's live index is one. */
export async function createSourceIndex(
  http: HttpClient,
  options: IndexOptions & { readonly alias: string },
): Promise<void> {
  await createIndex(http, options, { [options.alias]: {} });
}

/** Makes the empty index that the operator would make for the migration. */
export async function createTargetIndex(http: HttpClient, options: IndexOptions): Promise<void> {
  await createIndex(http, options, undefined);
}

async function createIndex(
  http: HttpClient,
  options: IndexOptions,
  aliases: Record<string, object> | undefined,
): Promise<void> {
  const settings = {
    'index.number_of_shards': options.shards,
    'index.number_of_replicas': options.replicas ?? 0,
    ...(options.routingShards === undefined
      ? {}
      : { 'index.number_of_routing_shards': options.routingShards }),
    ...options.settings,
  };
  await callJson(http, parseAcknowledged, 'PUT', `/${encodeURIComponent(options.name)}`, {
    settings,
    mappings: options.mappings ?? defaultMappings,
    ...(aliases === undefined ? {} : { aliases }),
  });
}

/** Settings of an index as they were set, flat: to be compared with what they are after a migration. */
export async function readIndexSettings(
  http: HttpClient,
  index: string,
): Promise<Readonly<Record<string, string>>> {
  const path = `/${encodeURIComponent(index)}/_settings?flat_settings=true`;
  const answer = await callJson(http, parseFlatSettings, 'GET', path);
  const settings = Object.entries(answer[index]?.settings ?? {});
  return Object.fromEntries(settings.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** A request's first line may have 4,096 characters. */
const mostDeleted = 10;

/** Deletes indices; a missing one counts as deleted. */
export async function deleteIndices(http: HttpClient, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += mostDeleted) {
    const some = names.slice(at, at + mostDeleted).map(encodeURIComponent);
    await callRaw(http, { method: 'DELETE', path: `/${some.join(',')}?ignore_unavailable=true` });
  }
}

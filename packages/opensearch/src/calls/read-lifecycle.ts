import { createParser, isObject, ownValue } from '@aosc/contract';
import { type Call, isClusterError } from '@aosc/engine';
import { Type } from '@sinclair/typebox';
import { requestJson, type OpenSearchClient } from '../client/request';
import { indexPath } from '../index-path';

const parse = createParser('answer of _ism/explain', Type.Record(Type.String(), Type.Unknown()));
const policyNames = [
  'policy_id',
  'index.plugins.index_state_management.policy_id',
  'index.opendistro.index_state_management.policy_id',
];

/**
 * `GET _plugins/_ism/explain/{index}`: the lifecycle policy that acts on an index.
 * @returns undefined: none, or the cluster has no such plugin
 */
export async function readLifecyclePolicy(
  client: OpenSearchClient,
  index: string,
  call: Call,
): Promise<string | undefined> {
  const what = { method: 'GET', path: `/_plugins/_ism/explain/${indexPath(index)}` } as const;
  try {
    return policyIn(await requestJson(client, what, parse, call), index);
  } catch (error) {
    // Without the plugin there is no handler for the path.
    if (isClusterError(error, 'invalid', 'not_found')) return undefined;
    throw error;
  }
}

/** The policy in an answer of the plugin. */
export function policyIn(answer: Readonly<Record<string, unknown>>, index: string): string | undefined {
  const entry = ownValue(answer, index);
  if (!isObject(entry)) return undefined;
  return policyNames.map((name) => ownValue(entry, name)).find((value) => typeof value === 'string');
}

/** `GET _ingest/pipeline/{name}`. */
export async function hasPipeline(client: OpenSearchClient, name: string, call: Call): Promise<boolean> {
  const path = `/_ingest/pipeline/${encodeURIComponent(name)}`;
  const what = { method: 'GET', path, query: { filter_path: '*.description,*.processors' } } as const;
  return Object.keys(await requestJson(client, what, parse, call, [404])).length > 0;
}

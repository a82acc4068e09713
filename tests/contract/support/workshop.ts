import { type StatusDocument, waitForPhase } from '@aosc/testkit';
import type { Environment } from '../../support/environment';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The whole service on real servers, and how to ask it. */
export interface Workshop {
  readonly environment: Environment;
  /** JSON to the API; every answer is held to the OpenAPI document */
  readonly api: CallApi;
  /** JSON to OpenSearch; fails unless it answers 2xx */
  readonly cluster: CallCluster;
}

export type CallApi = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<Answer>;
export type CallCluster = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<unknown>;

/** Path of an endpoint of one index. */
export const pathOf = (index: string, action: '_start' | '_status' | '_cancel'): string =>
  `/_plugins/_aosc/${encodeURIComponent(index)}/${action}`;

/** A shard's document of a status. @throws when it has none */
export function shardOf(status: StatusDocument, shard: number): StatusDocument['shards'][string] {
  const found = status.shards[String(shard)];
  if (found === undefined) throw new Error(`${status.migration_id} shows no shard ${shard}`);
  return found;
}

export function expectStarted(answer: Answer): void {
  expect(answer).toMatchObject({ status: 200, body: { accepted: true } });
}

/** Cancels what a sample has started, and waits until it has let go of its indices. */
export async function cancelAndWait({ environment, api }: Workshop, source: string): Promise<void> {
  await api('POST', `/_plugins/_aosc/${source}/_cancel`);
  await waitForPhase(environment.apiUrl, source, ['CANCELLED'], { intervalMs: 50 });
}

import { type StatusDocument, waitForPhase } from '@aosc/testkit';
import type { Answer, ContractRun } from './contract-run';

/** What makes samples: a run without them. */
export type Workshop = Omit<ContractRun, 'samples'>;

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

import type { Service } from '@aosc/stack';
import {
  cancelMigration,
  type HttpClient,
  readStatus,
  startMigration,
  type StatusDocument,
  terminalPhases,
  waitForPhase,
  waitForStatus,
} from '@aosc/testkit';
import { alias, type IndexShape, reset, source, target } from '../cluster';
import { applyProfile, highThroughput, lowImpact } from '../profiles';
import type { Condition } from './results';

/** The profile of each condition that has a migration. */
export const settings = { low_impact: lowImpact, high_throughput: highThroughput } as const;

/** What all runs have in common. */
export interface Bench {
  readonly http: HttpClient;
  readonly service: Service;
  readonly shape: IndexShape;
  readonly signal: AbortSignal;
}

/**
 * Measures without a migration, or while one copies: from its first copied documents. It is cancelled afterwards.
 * @returns what was measured, and the documents that the migration has copied meanwhile
 * @throws Error when the migration had copied everything before
 */
export async function measureBesideCopy<T>(
  { http, service, shape, signal }: Bench,
  condition: Condition,
  measure: () => Promise<T>,
): Promise<{ readonly figures: T; readonly documentsCopied: number }> {
  await reset(http, shape, signal);
  if (condition === 'quiet') return { figures: await measure(), documentsCopied: 0 };
  await applyProfile(service.apiUrl, settings[condition]);
  await startMigration(service.apiUrl, {
    source,
    target,
    alias,
    options: { accept_data_loss_if_custom_routing_is_used: true },
  });
  const before = await waitForStatus(
    service.apiUrl,
    source,
    (status) => countCopied(status) > 0,
    'the first copied documents',
    { signal },
  );
  const figures = await measure();
  const after = await readStatus(service.apiUrl, source, signal);
  if (!isCopying(after)) {
    throw new Error(
      'the migration had copied everything before the time was over: take more documents (--docs)',
    );
  }
  await cancelMigration(service.apiUrl, source);
  await waitForPhase(service.apiUrl, source, terminalPhases, { signal });
  return { figures, documentsCopied: countCopied(after) - countCopied(before) };
}

function countCopied({ shards }: StatusDocument): number {
  return Object.values(shards).reduce((sum, { backfill }) => sum + (backfill?.documents_indexed ?? 0), 0);
}

/** Some shard has not been copied to its end. */
function isCopying({ phase, shards }: StatusDocument): boolean {
  const early: readonly string[] = ['PENDING', 'ACQUIRING_LEASE', 'BACKFILLING'];
  return (
    !terminalPhases.includes(phase) && Object.values(shards).some((shard) => early.includes(shard.phase))
  );
}

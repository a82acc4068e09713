import type { MigrationRecord, SetAside, SetAsideDocument, ShardRecord } from '@aosc/contract';
import { allSetAside, describeUnaccepted, digestedText, summarizeSetAside } from '@aosc/domain';
import { countFresh, sumOf } from '../../cluster/primaries';
import { inRequests } from '../../shard/read/chunks';
import type { MigrationView, StepContext } from '../step/context';

/**
 * The most documents in one query. Together with the clauses of the validation query they stay below
 * `indices.query.bool.max_clause_count`.
 */
const mostClauses = 300;

/** A digest of the documents set aside and their versions: by it a person accepts exactly what the status has shown. */
async function digestOf(documents: readonly SetAsideDocument[]): Promise<string> {
  const bytes = new TextEncoder().encode(digestedText(documents));
  const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function describeSetAside(
  record: Pick<MigrationRecord, 'setAsideAccepted'>,
  shards: readonly Pick<ShardRecord, 'setAside'>[],
): Promise<SetAside> {
  const documents = allSetAside(shards);
  return summarizeSetAside(documents, await digestOf(documents), record);
}

/** @returns what the cutover waits for; undefined: nothing is set aside, or exactly what a person has accepted */
export async function findUnaccepted({
  record,
  shards,
}: Pick<MigrationView, 'record' | 'shards'>): Promise<string | undefined> {
  const documents = allSetAside(shards.map((stored) => stored.record));
  return describeUnaccepted(documents, await digestOf(documents), record);
}

/** How many of the documents that are set aside the cutover counts in the source. */
export async function countKnownMissing(
  { source, signal }: Pick<StepContext, 'source' | 'signal'>,
  { record, shards }: Pick<MigrationView, 'record' | 'shards'>,
): Promise<number> {
  const { validationQuery: query } = record.options;
  const documents = allSetAside(shards.map((stored) => stored.record));
  if (query === undefined) return documents.length;
  let count = 0;
  for (const part of inRequests(documents, mostClauses)) {
    const counted = { bool: { filter: [query, { bool: { should: part.map(byKey) } }] } };
    count += sumOf(await countFresh(source, { signal }, counted));
  }
  return count;
}

/** The same id under another routing is another document. */
function byKey({ id, routing }: SetAsideDocument): object {
  const byId = { term: { _id: id } };
  if (routing !== undefined) return { bool: { filter: [byId, { term: { _routing: routing } }] } };
  return { bool: { filter: [byId], must_not: [{ exists: { field: '_routing' } }] } };
}

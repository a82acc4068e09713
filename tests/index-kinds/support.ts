import { createParser } from '@aosc/contract';
import { timeLimit } from '@aosc/signals';
import { type LoadedDocument, loadDocuments } from '@aosc/testkit';
import { Type } from '@sinclair/typebox';
import type { Cluster } from '../races/support/cluster';
import type { Harness } from '../races/support/harness';

const parseCount = createParser('answer of _count', Type.Object({ count: Type.Integer() }));

/** What an application does to documents that are there: each third is deleted, updated, or left as it is. */
export interface Changes {
  /** the documents that the source was loaded with */
  readonly loaded: readonly LoadedDocument[];
  /** another content for a document of theirs */
  readonly another: (document: LoadedDocument, at: number) => string;
}

/**
 * Takes a migration from its backfill to the swap with changes in a round of the replay, and more of them that only
 * the last round sees (documents that are made again after their delete among them). Exact after each step.
 */
export async function migrateUnderChanges(
  cluster: Cluster,
  harness: Harness,
  { loaded, another }: Changes,
): Promise<void> {
  const { alias } = harness;
  const third = (n: number): LoadedDocument[] => loaded.filter((_, at) => at % 3 === n);
  const updated = (documents: readonly LoadedDocument[]): LoadedDocument[] =>
    documents.map((document, at) => ({ ...document, source: another(document, at) }));
  await harness.backfill();
  await harness.expectExact();

  await cluster.removeAll(alias, third(0));
  await loadDocuments(cluster.http, alias, updated(third(1)));
  await harness.round();
  await harness.expectExact();

  await cluster.removeAll(alias, third(1));
  await loadDocuments(cluster.http, alias, updated(third(0)));
  await expectCompleted(harness);
  expect(await count(cluster, alias)).toBe(third(0).length + third(2).length);
}

/** Runs a migration to its end and compares the two indices then. */
export async function expectCompleted(harness: Harness): Promise<void> {
  const { phase, errorMessage } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toEqual({ phase: 'COMPLETED', errorMessage: undefined });
  await harness.expectExact();
}

/**
 * Runs a migration that can't succeed: it ends FAILED, the alias is where it was, and the source takes writes.
 * @returns why it failed
 */
export async function expectFailed(cluster: Cluster, harness: Harness): Promise<string> {
  const { phase, errorMessage = '' } = await harness.runUntil('COMPLETED');
  expect({ phase, errorMessage }).toMatchObject({ phase: 'FAILED' });
  const call = { signal: timeLimit(30_000) };
  expect(await cluster.ports.aliases.indicesOf(harness.alias, call)).toEqual([harness.source]);
  await loadDocuments(cluster.http, harness.alias, [{ id: 'afterwards', routing: 'r', source: '{}' }]);
  return errorMessage;
}

/** Documents that a query finds, or all. */
export async function count(cluster: Cluster, index: string, query?: object): Promise<number> {
  await cluster.send('POST', `/${index}/_refresh`);
  return parseCount(await cluster.send('POST', `/${index}/_count`, query && { query })).count;
}

import { allowsForOthers, allSetAside, findShortages, type Shortage } from '@aosc/domain';
import { describeCollisions } from '../../shard/write/collisions';
import { countFresh, sumOf } from '../../cluster/primaries';
import type { MigrationView, StepContext } from '../step/context';

const named = 10;

/**
 * Compares the counts of all documents, for a migration with a validation query: two documents outside the query may
 * have got the same place in the target.
 * @param counting number of documents in each target shard after the last round
 * @returns the reason to fail; undefined: the target has enough documents
 */
export async function findMissing(
  context: StepContext,
  { record: { options }, shards }: MigrationView,
  counting: Promise<ReadonlyMap<number, number>>,
): Promise<string | undefined> {
  const { signal } = context;
  const [source, target] = await Promise.all([
    countFresh(context.source, { signal }).then(sumOf),
    counting.then(sumOf),
  ]);
  const expected = source - allSetAside(shards.map(({ record }) => record)).length;
  // A surplus is no failure: the query may be there to leave out documents that only the target has.
  if (expected - target <= options.docCountTolerance) return undefined;
  return (
    `Doc count validation failed without validation_query: source=${source}, target=${target}, ` +
    `diff=${expected - target}, tolerance=${options.docCountTolerance}`
  );
}

/**
 * Finds out whether the target lacks documents of the final snapshots. The tolerance does not count here: it is for
 * documents of other writers, not for lost documents.
 *
 * If a transform rewrites ids, only the totals can be compared, and in a total a document of another writer can make up
 * for a lost document. So the check fails if the options allow other writers and the copy has had collisions.
 * @param held number of documents in each target shard after the last round
 * @returns what is missing; undefined: nothing
 */
export function findShortDocuments(
  { record, shards }: MigrationView,
  held: ReadonlyMap<number, number>,
): string | undefined {
  const shortages = findShortages(
    record,
    shards.map((stored) => stored.record),
    held,
  );
  if (shortages.length > 0) return shortages.slice(0, named).map(describeShortage).join(', ');
  if (namesShared(shards).length > 0) {
    return 'documents of the source share a place in the target';
  }
  const haveMet = shards.some((stored) => stored.record.collisions !== undefined);
  return haveMet && record.transform?.rewritesIdentity === true && allowsForOthers(record)
    ? 'one of two documents that met in the target may be missing'
    : undefined;
}

function describeShortage({ sourceShard, targetShards, expected, held }: Shortage): string {
  if (sourceShard === undefined) {
    return `documents are missing: the target holds ${held} of the ${expected} that the source's shards had at the end`;
  }
  const where =
    targetShards.length === 1 ? `shard [${targetShards[0]}]` : `shards [${targetShards.join(', ')}]`;
  return (
    `documents of source shard [${sourceShard}] are missing: ${where} of the target ` +
    `hold${targetShards.length === 1 ? 's' : ''} ${held} of ${expected}`
  );
}

/** Names pairs of the source's documents that have the same place in the target, which can hold only one of them. */
export const namesShared = (shards: MigrationView['shards']): readonly string[] =>
  shards.flatMap(({ record: { sharedPlaces = [] } }) => sharedPlaces);

/** Reasons why the target may have fewer documents: two documents of the source have become one. */
export function explainShortage({ record: { transform }, shards }: MigrationView): readonly string[] {
  const records = shards.map((stored) => stored.record);
  const collisions = records.flatMap((record) => record.collisions ?? []);
  const shared = namesShared(shards);
  const contested = [...new Set(records.flatMap(({ contestedIds = [] }) => contestedIds))];
  const reasons = [...new Set(shared)].slice(0, named);
  if (collisions.length > 0) {
    const count = collisions.reduce((sum, each) => sum + each.count, 0);
    const first = collisions.flatMap((each) => each.first).slice(0, named);
    reasons.push(describeCollisions({ count, first }, transform !== undefined));
  }
  if (shared.length === 0 && contested.length > 0) {
    const names = contested.slice(0, named).map((id) => `[${id}]`);
    if (contested.length > names.length) names.push('…');
    reasons.push(`several source shards wrote to the places of ${names.join(', ')}`);
  }
  if (reasons.length === 0 && transform?.rewritesIdentity === true) {
    reasons.push(
      'the transform gives one id to several documents, or an id went from one document to another of a different source shard while they were copied',
    );
  }
  return reasons;
}
